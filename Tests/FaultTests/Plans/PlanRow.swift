import Foundation
import Testing

/// One row of a table about plans.
struct PlanRow: Sendable {
  /// The cells between the name and the end.
  var cells: [String]
  var took: Duration
  var problems: [String]

  /// Prints the table, and has each row with a problem fail.
  static func show(_ head: [String], _ rows: [PlanRow]) {
    let lines = rows.map { row in
      row.cells + [String(format: "%.1f s", row.took / .seconds(1)), row.problems.isEmpty ? "ok" : "FAILS"]
    }
    print(TextTable.text([head + ["took", "result"]] + lines))
    for row in rows where !row.problems.isEmpty {
      Issue.record("\(row.cells.joined(separator: ", ")): \(row.problems.joined(separator: "; "))")
    }
  }
}

/// How much of the tables about plans is played.
enum PlanTables {
  /// `all`: every row; else the most telling ones.
  static let variable = "TELLER_TEST_KILLS"
  static let isFull = ProcessInfo.processInfo.environment[variable] == "all"
}
