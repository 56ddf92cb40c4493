extension String {
  /// The text on one line, with every hidden character shown: a text from outside cannot move the cursor, change the
  /// colours, break the line, or look like another one.
  package var onOneLine: String {
    // Of all ends of lines those that texts have. Others tell two texts apart, and are shown.
    split { ["\n", "\r", "\r\n"].contains($0) }.joined(separator: " ").replacing("\t", with: " ").visible
  }

  /// The text with each character that a reader does not see by its number, as in `⟨U+202E⟩`: control and format characters,
  /// and what has no width. The ends of lines and tabs stay.
  package var visible: String {
    // Most texts have none.
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A || $0 == 0x09 }) { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if scalar.isHidden { text += "⟨\(scalar.number)⟩" } else { text.unicodeScalars.append(scalar) }
    }
  }

  /// A text of JSON, with the same characters as escapes: the same value.
  package var visibleJSON: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      guard scalar.isHidden else { return text.unicodeScalars.append(scalar) }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether a reader does not see it, or it moves the text around it.
  fileprivate var isHidden: Bool {
    switch properties.generalCategory {
    case .control: self != "\n" && self != "\t"
    case .format, .lineSeparator, .paragraphSeparator: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }

  /// As in `U+202E`.
  fileprivate var number: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
