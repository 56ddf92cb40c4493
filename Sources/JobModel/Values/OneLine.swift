extension String {
  /// The text on one line, without control characters: a text from outside cannot move the cursor, change the colours, or
  /// break the line.
  package var onOneLine: String {
    let line = split(whereSeparator: \.isNewline).joined(separator: " ")
    return String(line.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 })
  }
}
