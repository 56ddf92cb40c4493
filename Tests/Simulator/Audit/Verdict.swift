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
