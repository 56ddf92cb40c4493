extension Duration {
  /// A duration as people write it: a whole number and its unit, `1500ms`, `45s`, `2m` or `1h`; nil for anything else.
  package init?(written text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), number <= Duration.longestWritten else { return nil }
    switch text.dropFirst(digits.count) {
    case "ms": self = .milliseconds(number)
    case "s": self = .seconds(number)
    case "m": self = .seconds(number * 60)
    case "h": self = .seconds(number * 3_600)
    default: return nil
    }
  }

  /// Far beyond every limit in use, and small enough that no unit overflows.
  private static let longestWritten: Int64 = 1_000_000_000
}
