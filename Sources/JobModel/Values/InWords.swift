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
