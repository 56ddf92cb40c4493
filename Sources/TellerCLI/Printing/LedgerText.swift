import Foundation
import JobModel
import Ledger
import Synchronization

/// A summary of a ledger's file, for people.
enum LedgerText {
  fileprivate static let states: [JobState] = [.held, .queued, .succeeded, .failed, .cancelled]

  /// `45 MB, ledger 0197f3a0-…, epoch 1, schema 8, 3 held, 20 succeeded`.
  static func line(_ summary: LedgerSummary) -> String {
    let jobs = states.compactMap { state in summary.jobs[state].map { "\($0) \(state.rawValue)" } }
    let known = LedgerSummary.knownSchema
    let schema = "schema \(summary.schema)" + (summary.schema < known ? " (this version has \(known))" : "")
    return
      (["\(size(summary.bytes)), ledger \(summary.id)", "epoch \(summary.epoch)", schema]
      + (jobs.isEmpty ? ["no jobs"] : jobs)).joined(separator: ", ")
  }

  /// `45 MB`, of a thousand KB each; a small size in KB.
  static func size(_ bytes: Int64) -> String {
    bytes < 1_000_000 ? "\((bytes + 999) / 1_000) KB" : "\((bytes + 500_000) / 1_000_000) MB"
  }

  static func progress(_ progress: LedgerBackup.Progress) -> String {
    progress.isChecking
      ? "\(size(progress.bytes)) copied, reading the copy"
      : "\(size(progress.copied)) of \(size(progress.bytes)) copied"
  }
}

/// The line of a terminal with the progress of a copy. The thread that copies calls it.
final class BackupProgressLine: Sendable {
  /// The shortest time between two lines.
  private static let interval: Duration = .milliseconds(250)
  private let last = Mutex<ContinuousClock.Instant?>(nil)

  func show(_ progress: LedgerBackup.Progress) {
    let isDue = last.withLock { last in
      if !progress.isChecking, let last, last.duration(to: .now) < BackupProgressLine.interval { return false }
      last = .now
      return true
    }
    if isDue { Output.progress(LedgerText.progress(progress)) }
  }
}

/// A summary of a ledger's file, for programs.
struct LedgerDocument: Encodable {
  private let file: String
  private let ledger: String
  private let epoch: Int
  private let schema: Int
  private let bytes: Int64
  private let jobs: [String: Int]
  private let ms: Int64?

  init(_ summary: LedgerSummary, file: String, ms: Int64?) {
    self.file = file
    ledger = "\(summary.id)"
    epoch = summary.epoch
    schema = summary.schema
    bytes = summary.bytes
    jobs = Dictionary(uniqueKeysWithValues: LedgerText.states.map { ($0.rawValue, summary.jobs[$0] ?? 0) })
    self.ms = ms
  }
}
