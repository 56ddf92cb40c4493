import JobModel

/// The name of a metric, as Prometheus allows it, and the label that it was made from.
struct SeriesName: Hashable, Sendable {
  let text: String
  /// As the application named it.
  let label: String

  /// How many characters of a name, or of a label's value, are kept.
  static let longest = 256

  init(_ label: String, ending: String = "") {
    self.label = label
    let text = label.allowed(beside: ["_", ":"])
    self.text = text.hasSuffix(ending) ? text : text + ending
  }

  init(counter label: String) { self.init(label, ending: "_total") }
  init(timer label: String) { self.init(label, ending: "_seconds") }
}

/// The labels of a series, as they stand between the braces: sorted by their names, so that their order makes no
/// difference. Of two labels with one name the first counts.
struct SeriesLabels: Hashable, Comparable, Sendable {
  @ExactText private(set) var text: String

  /// How many labels a series may have; further ones are left out.
  static let most = 16

  init(_ dimensions: [(String, String)]) {
    let labels = dimensions.prefix(SeriesLabels.most).map { (SeriesLabels.name($0.0), $0.1) }
    text = Dictionary(labels) { first, _ in first }.sorted { $0.key < $1.key }
      .map { "\($0.key)=\"\($0.value.prefix(SeriesName.longest).escaped(quotes: true))\"" }
      .joined(separator: ",")
  }

  /// `le` is the bound of a histogram's bucket, and names that begin with two underscores belong to Prometheus.
  private static func name(_ name: String) -> String {
    let allowed = name.allowed(beside: ["_"])
    return allowed == "le" || allowed.hasPrefix("__") ? "label_\(allowed)" : allowed
  }

  static func < (left: SeriesLabels, right: SeriesLabels) -> Bool { left._text < right._text }
}

extension String {
  /// With `_` in place of everything but letters and digits of ASCII, and the characters that are named; it begins with no
  /// digit, and is not empty.
  fileprivate func allowed(beside others: Set<Character>) -> String {
    let text = prefix(SeriesName.longest).map { character in
      character.isASCII && (character.isLetter || character.isNumber) || others.contains(character) ? character : "_"
    }
    return text.first?.isNumber ?? true ? "_" + String(text) : String(text)
  }
}

extension StringProtocol {
  /// As the text format wants values of labels, and with `quotes` false what is said for people.
  func escaped(quotes: Bool) -> String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "\\": text += #"\\"#
      case "\n": text += #"\n"#
      case "\"" where quotes: text += #"\""#
      default: text.unicodeScalars.append(scalar)
      }
    }
  }
}
