import JobModel

extension Duration {
  /// Reads a whole number and its unit, such as `1500ms`, `45s`, `2m`, `1h` or `7d` (of 24 hours); nil for other texts.
  package init?(written text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), number <= Duration.longestWritten else { return nil }
    switch text.dropFirst(digits.count) {
    case "ms": self = .milliseconds(number)
    case "s": self = .seconds(number)
    case "m": self = .seconds(number * 60)
    case "h": self = .seconds(number * 3_600)
    case "d": self = .seconds(number * 86_400)
    default: return nil
    }
  }

  /// Far beyond every limit in use, and so small that no unit overflows.
  private static let longestWritten: Int64 = 1_000_000_000

  /// The duration as people write it, in the largest unit without a rest; a single day is `24h`.
  package var written: String {
    let milliseconds = self.milliseconds
    let day: Int64 = 86_400_000
    let units: [(length: Int64, name: String)] = [(day, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")]
    let unit = units.first { milliseconds.isMultiple(of: $0.length) && ($0.length != day || milliseconds > day) }
    guard milliseconds != 0, let unit else { return "\(milliseconds)ms" }
    return "\(milliseconds / unit.length)\(unit.name)"
  }
}

extension ClosedRange<Duration> {
  /// For people: `1ms–7d`.
  package var written: String { "\(lowerBound.written)–\(upperBound.written)" }
}
