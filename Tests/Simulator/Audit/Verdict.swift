/// What a schedule has come to.
package struct Verdict: Sendable {
  package let seed: UInt64
  /// What is wrong, by the promise; empty: everything holds.
  package var violations: [String: [String]] = [:]
  /// How many things have happened.
  package var events = 0
  package var jobs = 0
  package var sometimes: [Sometime: Int] = [:]
  /// Another one when anything has happened otherwise.
  package var digest: UInt64 = 0
  /// What has happened, if it was to be kept.
  package var trace: [String] = []
  package var faults: [String] = []
  /// How many submissions, commands and faults there were.
  package var acts = 0

  package var holds: Bool { violations.isEmpty }
}

extension Verdict {
  /// How many lines of a trace are shown.
  static let shownLines = 400

  /// What has happened to the jobs and workers that the violations name, and what went wrong; all, if they name none.
  package var traceOfViolations: [String] {
    let text = violations.values.joined().joined(separator: " ")
    let names = Set(
      text.matches(of: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/).map { String($0.output) })
    let lines = trace.filter { line in
      names.isEmpty || line.contains("fault  ") || line.contains("aim  ") || line.contains("heals")
        || line.contains("session ends") || line.contains("is killed") || names.contains { line.contains($0) }
    }
    return Array(lines.suffix(Verdict.shownLines))
  }
}
