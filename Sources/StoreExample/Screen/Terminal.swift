import Foundation

/// The terminal behind standard output, if it is one.
enum Terminal {
  static var isPresent: Bool { isatty(STDOUT_FILENO) == 1 }

  /// How many columns the terminal has; 80 when that is unknown.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  static let hideCursor = "\u{1B}[?25l"
  static let showCursor = "\u{1B}[?25h"

  /// Moves the cursor up by so many lines, and erases everything from there on.
  static func erase(lines: Int) -> String {
    lines == 0 ? "" : "\u{1B}[\(lines)A\r\u{1B}[J"
  }

  static func write(_ text: String) {
    // A reader that has gone away is no reason to stop showing the shop.
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }
}
