import Foundation

/// The terminal behind the standard files.
enum TerminalSize {
  /// Its columns; nil when standard output is no terminal.
  static var columns: Int? {
    window.map { $0.ws_col > 0 ? Int($0.ws_col) : 80 }
  }

  /// Its rows; nil when standard output is no terminal.
  static var rows: Int? { window.map { $0.ws_row > 0 ? Int($0.ws_row) : 24 } }

  /// The size that the terminal has now; zeros when the terminal does not say it.
  private static var window: winsize? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    var size = winsize()
    _ = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size)
    return size
  }

  /// The columns for a line of progress on standard error; nil when standard error or standard output is no terminal: the
  /// line would stand among the lines of another program.
  static var progressColumns: Int? {
    isatty(STDERR_FILENO) == 1 ? columns : nil
  }

  /// Whether a person can be asked, and can answer.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}
