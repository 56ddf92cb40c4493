import ArgumentParser
import JobTransport
import Teller

/// What is said besides the parser's own words when arguments are wrong.
enum UsageText {
  /// Where to read on: the help of the command at hand. The arguments are those without the program's name.
  static func help(for arguments: [String]) -> String { CommandPath(arguments).help }

  /// The parser says that a value cannot be; this says what can. A problem is one line.
  static func withHint(_ problem: String, _ arguments: [String]) -> String {
    if let tellers = negativeTellers(arguments) {
      return "TELLERS is \(ResizeOrder.tellerLimits.written), not \(tellers)"
    }
    return rules.first { problem.hasSuffix($0.end) }.map { "\(problem): \($0.rule)" } ?? problem
  }

  /// The parser takes a number below zero for an option.
  private static func negativeTellers(_ arguments: [String]) -> Int? {
    guard arguments.first == "resize" else { return nil }
    return arguments.compactMap { Int($0) }.first { $0 < 0 }
  }

  private static let nameRule = "write 1–100 letters, digits, - and _"

  /// What the value of an option or an argument is to be, by how the parser ends its line.
  private static let rules = [
    ("<duration>'", "write 90s, 15m or 2h"), ("<priority>'", "it is 0–9"),
    ("<tellers>'", "it is \(ResizeOrder.tellerLimits.written)"),
    ("<\(MomentArgument.name)>'", "write a moment with its offset, or Z"),
    ("<job>'", "write the UUID that `teller submit` prints"),
    ("<jobs>'", "write the UUIDs that `teller submit` prints"),
    ("<id>'", "write a UUID"), ("<kind>'", nameRule), ("<department>'", nameRule),
    ("<address>'", "write HOST:PORT"), ("<addresses>'", "write HOST:PORT"),
  ].map { (end: $0.0, rule: $0.1) }
}
