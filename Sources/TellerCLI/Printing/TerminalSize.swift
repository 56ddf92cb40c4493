import Foundation

/// The terminal behind the standard files.
enum TerminalSize {
  /// Its columns; nil when standard output is no terminal.
  static var columns: Int? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The columns for a line on standard error that is rewritten; nil when somebody other than a person would get it, or
  /// it would stand between the lines of a program further down the pipe.
  static var progressColumns: Int? {
    isatty(STDERR_FILENO) == 1 ? columns : nil
  }

  /// Whether somebody can be asked, and can answer.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}
