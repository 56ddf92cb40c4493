import JobModel

/// Text as a terminal shows it. Its colours take no room, and some characters take two columns.
///
/// A text from outside has no control characters here (`onOneLine`): each escape in it is one of `Colors`.
enum VisibleText {
  private static let escape: Unicode.Scalar = "\u{1B}"
  private static let endOfEscape: Unicode.Scalar = "m"

  /// The text with all hidden characters shown, but for the escapes of `Colors`.
  static func besideColors(_ text: String) -> String {
    var (shown, rest) = ("", text[...])
    while let color = rest.firstRange(of: /\u{1B}\[(0|3[123])m/) {
      shown += String(rest[..<color.lowerBound]).visible + rest[color]
      rest = rest[color.upperBound...]
    }
    return shown + String(rest).visible
  }

  /// How many columns a text takes.
  static func width(_ text: String) -> Int {
    // Most texts are plain, and tables have many of them.
    if text.utf8.allSatisfy({ $0 < 0x80 && $0 != 0x1B }) { return text.utf8.count }
    var width = 0
    var rest = text[...]
    while let character = takeVisible(&rest) { width += columns(of: character) }
    return width
  }

  /// The beginning of a text that is no wider. `end`: stands at the end of a text that is cut.
  static func cut(_ text: String, to width: Int, end: String = "") -> String {
    if self.width(text) <= width { return text }
    let room = max(0, width - self.width(end))
    var (used, index, rest) = (0, text.startIndex, text[...])
    while let character = takeVisible(&rest) {
      used += columns(of: character)
      if used > room { break }
      index = rest.startIndex
    }
    let kept = text[..<index]
    return kept + (kept.unicodeScalars.contains(escape) ? Colors.reset : "") + (width > 0 ? end : "")
  }

  /// The text, with spaces behind it.
  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - self.width(text)))
  }

  /// Takes the next character from the front, and the colours before it.
  private static func takeVisible(_ rest: inout Substring) -> Character? {
    // Scalars and not characters: a mark at the beginning of the text would be one character with the end of a colour.
    while rest.unicodeScalars.first == escape {
      guard let end = rest.unicodeScalars.firstIndex(of: endOfEscape) else {
        rest = rest[rest.endIndex...]
        return nil
      }
      rest = rest[rest.unicodeScalars.index(after: end)...]
    }
    return rest.popFirst()
  }

  private static func columns(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    return wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  /// The characters of East Asian scripts that take two columns.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
  ]
}
