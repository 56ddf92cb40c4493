/// Words of a file as values, read as in YAML 1.2. What YAML 1.1 reads in another way is no such value: `010` would be 8, and
/// `1:30` would be 90.
enum YAMLWord {
  /// `true` or `false`; not `yes` or `on`.
  static func flag(_ word: String) -> Bool? {
    switch word {
    case "true", "True", "TRUE": true
    case "false", "False", "FALSE": false
    default: nil
    }
  }

  /// A number as in JSON: in decimal digits, without a zero before them.
  static func number<Number>(_ word: String, _ read: (String) -> Number?) -> Number? {
    YAMLNumber.isJSON(word) ? read(word) : nil
  }
}
