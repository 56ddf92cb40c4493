import Foundation
import JobModel

/// A line of a name and a value; the values of several lines stand below each other.
enum NamedLine {
  private static let nameWidth = 12

  static func text(_ name: String, _ value: String, _ style: Style? = nil) -> String {
    name.onOneLine.padding(toLength: nameWidth, withPad: " ", startingAt: 0)
      + Colors.output.paint(value.onOneLine, style)
  }
}
