extension Duration {
  /// The duration for people, exact enough to compare: in the two largest units that it fills, and cut off. `250 ms`,
  /// `1.5 s`, `3 min 20 s`, `2 h`, `3 d 4 h`.
  package var inWords: String {
    let milliseconds = milliseconds
    let seconds = milliseconds / 1_000
    let tenths = milliseconds % 1_000 / 100
    return switch seconds {
    case ..<1: "\(milliseconds) ms"
    case ..<60: "\(seconds)" + (tenths > 0 ? ".\(tenths) s" : " s")
    case ..<3_600: "\(seconds / 60) min" + Duration.rest(seconds % 60, "s")
    case ..<86_400: "\(seconds / 3_600) h" + Duration.rest(seconds % 3_600 / 60, "min")
    default: "\(seconds / 86_400) d" + Duration.rest(seconds % 86_400 / 3_600, "h")
    }
  }

  private static func rest(_ count: Int64, _ unit: String) -> String { count > 0 ? " \(count) \(unit)" : "" }
}

extension ClosedRange<Int> {
  /// The range for people: `1–100`.
  package var written: String { "\(lowerBound)–\(upperBound)" }
}

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
