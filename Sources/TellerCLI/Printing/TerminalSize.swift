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

  /// The columns for a line of progress on standard error; nil when standard error or standard output is no terminal: the
  /// line would stand among the lines of another program.
  static var progressColumns: Int? {
    isatty(STDERR_FILENO) == 1 ? columns : nil
  }

  /// Whether a person can be asked, and can answer.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}
