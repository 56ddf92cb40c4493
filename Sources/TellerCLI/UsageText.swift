import ArgumentParser
import Teller

/// The text of an error about wrong arguments.
enum UsageText {
  /// The parser's message as one line; a list of possible values follows its colon.
  static func singleLine(_ message: String) -> String {
    var text = ""
    for line in message.split(whereSeparator: \.isNewline) {
      let indented = line.drop { $0 == " " }
      // The dash of a list goes; the two dashes of an option stay.
      let words = indented.hasPrefix("- ") ? indented.dropFirst(2) : indented
      if words.isEmpty { continue }
      text += (text.isEmpty ? "" : text.hasSuffix(":") ? " " : ", ") + words
    }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// The problem with a hint: the parser says that a value is wrong, and the hint which values are right.
  static func withHint(_ problem: String, _ arguments: [String]) -> String {
    if let tellers = negativeTellers(arguments) {
      return "TELLERS is \(DepartmentResize.tellerLimits.written), not \(tellers)"
    }
    return rules.first { problem.hasSuffix($0.end) }.map { "\(problem): \($0.rule)" } ?? problem
  }

  /// A negative number of tellers. The parser takes it for an option.
  private static func negativeTellers(_ arguments: [String]) -> Int? {
    guard arguments.first == "resize" else { return nil }
    return arguments.compactMap { Int($0) }.first { $0 < 0 }
  }

  private static let nameRule = "write 1–100 letters, digits, - and _"

  private static let rejectedRule = "write the id that `teller rejected` shows, or at least 4 of its characters"

  /// The hint for a value of an option or an argument, by the end of the parser's line.
  private static let rules: [(end: String, rule: String)] = [
    ("<duration>'", "write 90s, 15m or 2h"), ("while-live>'", "write 90s, 15m or 2h, or while-live"),
    ("<priority>'", "it is 0–9"),
    ("<tellers>'", "it is \(DepartmentResize.tellerLimits.written)"),
    ("<\(Timestamp.argumentName)>'", "write a moment with its offset, or Z"),
    ("<job>'", "write the UUID that `teller submit` prints"),
    ("<jobs>'", "write the UUIDs that `teller submit` prints"),
    ("<id>'", "write a UUID"),
    ("<message>'", rejectedRule), ("<messages>'", rejectedRule), ("<kind>'", nameRule), ("<department>'", nameRule),
    ("<address>'", "write HOST:PORT"), ("<addresses>'", "write HOST:PORT"),
  ]
}
