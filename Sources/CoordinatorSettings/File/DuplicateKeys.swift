import Yams

/// A key that stands more than once in a block. Yams refuses such a block, and ends there. So that the other mistakes are
/// found, too, each key but the last is given a mark in the text, which makes it another key.
///
/// The mark is ahead of the name: a character that no settings use, a number, and the character again.
enum DuplicateKeys {
  /// How many keys are marked. The file is read anew for each of them.
  static let limit = 20
  private static let sign: Unicode.Scalar = "\u{E000}"

  /// The text with a mark at the key that begins there; nil: no key with that name begins there.
  static func marking(_ key: String, at place: Mark, number: Int, in yaml: String) -> String? {
    var text = yaml.unicodeScalars
    guard var start = index(of: place, in: text) else { return nil }
    if let quote = text[start...].first, quote == "\"" || quote == "'" {
      start = text.index(after: start)
    } else if !text[start...].starts(with: key.unicodeScalars) {
      return nil
    }
    text.insert(contentsOf: "\(sign)\(number)\(sign)".unicodeScalars, at: start)
    return String(text)
  }

  /// The name behind a mark; nil: there is no mark.
  static func name(of marked: String) -> String? {
    let parts = marked.unicodeScalars.split(separator: sign, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, Int(String(parts[1])) != nil else { return nil }
    return String(parts[2])
  }

  /// Yams counts lines and characters from 1. The breaks of lines are those of its parser.
  private static func index(of place: Mark, in text: String.UnicodeScalarView) -> String.Index? {
    var (line, index) = (1, text.startIndex)
    while line < place.line {
      guard let end = text[index...].firstIndex(where: \.isYAMLBreak) else { return nil }
      index = text.index(after: end)
      if text[end] == "\r", index < text.endIndex, text[index] == "\n" { index = text.index(after: index) }
      line += 1
    }
    return text.index(index, offsetBy: place.column - 1, limitedBy: text.endIndex)
  }
}

extension Unicode.Scalar {
  fileprivate var isYAMLBreak: Bool { ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(self) }
}

extension Node.Mapping {
  /// The lines of the block. Where a key stands more than once, its values are read as one block, if all are blocks: what
  /// one of them says is known then, and nothing wrong follows. Else the last value counts. Each further line of such a key
  /// is a mistake.
  func merged(_ mistakes: inout Mistakes) -> [(key: Node, value: Node)] {
    let pairs = map { (key: $0.key, value: $0.value) }
    let earlier = Dictionary(grouping: pairs.filter { $0.key.duplicateOf != nil }) { $0.key.duplicateOf ?? "" }
    if earlier.isEmpty { return pairs }
    return pairs.compactMap { key, value in
      if key.duplicateOf != nil { return nil }
      guard let name = key.string, let before = earlier[name] else { return (key, value) }
      for later in before.dropFirst().map(\.key) + [key] {
        mistakes.note(later, "the key \(Shown.text(name)) stands here twice: first on line \(before[0].key.line)")
      }
      return (key, value.merged(with: before.map(\.value)))
    }
  }
}

extension Node {
  /// The name of a key that stands again further below; nil: it is no such key.
  var duplicateOf: String? { string.flatMap(DuplicateKeys.name) }

  fileprivate func merged(with earlier: [Node]) -> Node {
    let blocks = (earlier + [self]).compactMap(\.mapping)
    guard blocks.count == earlier.count + 1, let last = blocks.last else { return self }
    let pairs = blocks.flatMap { block in block.map { ($0.key, $0.value) } }
    return .mapping(Mapping(pairs, last.tag, last.style, last.mark))
  }
}
