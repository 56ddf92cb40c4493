import AuditSupport
import Foundation
import Synchronization
import TestSupport
import Testing

/// What every fault has come to, as one table of text: printed when the suite has ended, and kept in
/// `.build/faults-table.txt`.
final class FaultTable: Sendable {
  struct Row: Sendable {
    let fault: String
    /// What is wrong by invariant; what a fault leaves nothing to say about is missing.
    let violations: [Invariant: [String]]
    let recovery: Duration?
    var counts = Counts()
    /// What the fault has done, where that is not plain.
    var notes: [String] = []
    /// All of it, from the first process to the last look.
    var took: Duration = .zero
    /// Why the trial came to no end.
    let failure: String?
  }

  static let shared = FaultTable()

  private let rows = Mutex<[Row]>([])

  func add(_ row: Row) { rows.withLock { $0.append(row) } }

  /// Prints it and writes it down; nothing when there are no rows.
  func show() throws {
    let rows = rows.withLock { $0 }
    guard !rows.isEmpty else { return }
    let text = FaultTable.text(of: rows)
    print(text)
    try text.write(to: PackageFolder.url.appending(path: ".build/faults-table.txt"), atomically: true, encoding: .utf8)
  }

  /// Says of the last row what became of its jobs.
  func showCounts() {
    guard let row = rows.withLock(\.last) else { return }
    let counts = row.counts
    print(
      """
      \(row.fault): \(counts.submitted) jobs, \(row.notes.joined(separator: ", ")); lost \(counts.lost), duplicate \
      outcomes \(counts.duplicate), second effects \(counts.ranAgain) (each of a run that was cut off), unanswered \
      submissions \(counts.unanswered), cancelled, answered as duplicates, replays, retried \
      \(FaultTable.text(of: counts.sorts)), confirmed ones that went with the broker's disk before they were accepted \
      \(counts.gone)
      """)
  }

  /// One line a fault, one column an invariant.
  static func text(of rows: [Row]) -> String {
    let head =
      ["fault"] + Invariant.allCases.map(\.column) + [
        "recovery", "jobs", "unanswered", "ran again", "lost", "duplicate", "cancelled/keyed/replays/retried", "took",
        "notes",
      ]
    let lines = rows.map { row in
      [row.fault] + Invariant.allCases.map { cell(row, $0) } + [
        row.recovery.map(seconds) ?? "—", "\(row.counts.submitted)", "\(row.counts.unanswered)",
        "\(row.counts.ranAgain)", "\(row.counts.lost)", "\(row.counts.duplicate)",
        text(of: row.counts.sorts),
        seconds(row.took), row.notes.joined(separator: ", "),
      ]
    }
    return TextTable.text([head] + lines)
  }

  private static func text(of sorts: Counts.Sorts) -> String {
    "\(sorts.cancelled)/\(sorts.duplicates)/\(sorts.replays)/\(sorts.retried)"
  }

  private static func cell(_ row: Row, _ invariant: Invariant) -> String {
    if row.failure != nil { return "BROKEN" }
    guard let violations = row.violations[invariant] else { return "—" }
    return violations.isEmpty ? "holds" : "FAILS"
  }

  private static func seconds(_ duration: Duration) -> String {
    String(format: "%.1f s", duration / .seconds(1))
  }
}

/// Shows the table when everything in a suite has ended.
struct ShowsTable: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    defer { try? FaultTable.shared.show() }
    try await function()
  }
}

extension Trait where Self == ShowsTable {
  static var showsTable: ShowsTable { ShowsTable() }
}
