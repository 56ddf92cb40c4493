extension String {
  /// The text on one line, without control characters: what came from outside cannot move the cursor, change the
  /// colours, or break the line.
  var onOneLine: String {
    let line = split(whereSeparator: \.isNewline).joined(separator: " ")
    return String(line.map { $0.unicodeScalars.contains(where: \.isControl) ? " " : $0 })
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}
