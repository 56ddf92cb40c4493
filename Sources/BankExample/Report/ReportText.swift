import Foundation

/// The report for people.
enum ReportText {
  static func lines(_ report: DayReport) -> [String] {
    let failed = report.failed == 0 ? "" : ", \(report.failed) failed"
    return [
      "The day has ended: \(report.served) customers served\(failed).",
      "makespan \(seconds(report.makespan)), ideal \(ideal(report))",
      "",
      row("department", "tellers", "customers", "busy", "waited p50", "p95", "max"),
    ] + report.departments.map(line) + [
      "", opening(report.opening),
    ]
  }

  private static func opening(_ opening: OpeningRecord) -> String {
    guard opening.byRank else {
      return "init: the steps did NOT run by rank; look at `teller plan show \(Opening.plan)`"
    }
    let again = opening.ranAgain > 0 ? "; \(opening.ranAgain) ran again after going back" : ""
    let passed = opening.passedOver.isEmpty ? "" : "; passed over: \(opening.passedOver.joined(separator: ", "))"
    let pushes = opening.pushes > 0 ? "; \(opening.pushes) pushes acted on" : ""
    return "init: all \(opening.steps) steps ran by rank, one rank at a time\(again)\(passed)\(pushes)"
  }

  private static func ideal(_ report: DayReport) -> String {
    guard let ideal = report.ideal, let ratio = report.ratio else { return "unknown (a department without tellers)" }
    return "\(seconds(ideal)), ratio \(String(format: "%.3f", ratio))"
  }

  private static func line(_ counter: DayReport.Counter) -> String {
    let waits = counter.waited.map { [$0.p50, $0.p95, $0.max].map(seconds) } ?? ["–", "–", "–"]
    let busy = "\(Int((counter.busyShare * 100).rounded())) %"
    return row(counter.department, "\(counter.tellers)", "\(counter.customers)", busy, waits[0], waits[1], waits[2])
  }

  private static let widths = [7, 9, 7, 10, 8, 8]

  private static func row(_ name: String, _ cells: String...) -> String {
    name.padding(toLength: 12, withPad: " ", startingAt: 0)
      + zip(cells, widths).map { "  " + $0.leftPadded(to: $1) }.joined()
  }

  static func seconds(_ seconds: Double) -> String { String(format: "%.2f s", seconds) }
  static func seconds(_ time: Duration) -> String { seconds(time.seconds) }
}

extension String {
  /// The text with spaces in front, at least that many characters wide.
  func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
