import Foundation

/// A line of a name and a value; the values of several lines stand below each other.
enum NamedLine {
  private static let nameWidth = 12

  static func text(_ name: String, _ value: String, _ style: Style? = nil) -> String {
    name.onOneLine.padding(toLength: nameWidth, withPad: " ", startingAt: 0)
      + Colors.output.paint(value.onOneLine, style)
  }
}

extension String {
  /// The text on one line, without control characters: a text from outside cannot move the cursor, change the colours, or
  /// break the line.
  var onOneLine: String {
    let line = split(whereSeparator: \.isNewline).joined(separator: " ")
    return String(line.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 })
  }
}
