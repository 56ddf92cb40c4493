import Foundation
import JobModel
import Synchronization

/// The progress of a batch, for a line of the terminal.
final class SubmissionProgress: Sendable {
  /// How often the line is rewritten.
  static let interval: Duration = .milliseconds(250)

  /// The progress at one moment.
  struct State: Equatable {
    /// How much of the input was read, 0–1; nil when its length is unknown.
    var read: Double?
    /// How many lines were read.
    var lines = 0
    var accepted = 0
    /// How many were rejected by the coordinator, or because the line is wrong.
    var rejected = 0
  }

  private let state = Mutex(State())

  func read(lines: Int, part: Double?) {
    state.withLock { state in
      state.lines += lines
      state.read = part
    }
  }

  func accepted() { state.withLock { $0.accepted += 1 } }

  func rejected() { state.withLock { $0.rejected += 1 } }

  /// Shows the line until the body ends, then takes it away.
  func shown<Value: Sendable>(while body: () async -> Value) async -> Value {
    let start = ContinuousClock.now
    let showing = Task {
      while !Task.isCancelled {
        let line = ProgressText.line(state.withLock { $0 }, elapsed: start.duration(to: .now))
        Output.progress(line)
        try await Task.sleep(for: SubmissionProgress.interval)
      }
    }
    let value = await body()
    showing.cancel()
    // After its last line, which would stay otherwise.
    _ = await showing.result
    Output.progress(nil)
    return value
  }
}

/// The line of progress.
enum ProgressText {
  static let barWidth = 20

  /// `[##########..........]  50 %  12000 accepted, 3 rejected, 8000 jobs/s`; without the bar for an input of unknown
  /// length.
  static func line(_ state: SubmissionProgress.State, elapsed: Duration) -> String {
    let seconds = Double(elapsed.milliseconds) / 1000
    let rate = seconds > 0 ? Int((Double(state.accepted) / seconds).rounded()) : 0
    let counts = "\(state.accepted) accepted, \(state.rejected) rejected, \(rate) jobs/s"
    return part(state).map { "\(barAndPercent($0))  \(counts)" } ?? counts
  }

  /// The part of the input that was accepted or rejected. A line that was only read does not count.
  static func part(_ state: SubmissionProgress.State) -> Double? {
    guard let read = state.read else { return nil }
    guard state.lines > 0 else { return 0 }
    return min(1, max(0, read * Double(state.accepted + state.rejected) / Double(state.lines)))
  }

  /// `########............`. `part`: from 0 to 1.
  static func bar(_ part: Double) -> String {
    let full = Int(part * Double(barWidth))
    return String(repeating: "#", count: full) + String(repeating: ".", count: barWidth - full)
  }

  private static func barAndPercent(_ part: Double) -> String {
    let percent = String(Int(part * 100))
    return "[\(bar(part))] " + String(repeating: " ", count: max(0, 3 - percent.count)) + "\(percent) %"
  }
}
