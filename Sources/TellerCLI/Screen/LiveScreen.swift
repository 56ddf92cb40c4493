import Foundation
import Synchronization

/// A picture that is drawn again and again on the same place of a terminal: its second screen. The first screen, with
/// what the person has typed, comes back at the end.
final class LiveScreen: Sendable {
  private let picture = Mutex<[String]>([])

  func begin() { Output.frame("\u{1B}[?1049h\u{1B}[?25l") }

  func end() { Output.frame("\u{1B}[?25h\u{1B}[?1049l") }

  /// Shows other lines.
  func show(_ lines: [String]) {
    picture.withLock { $0 = lines }
    redraw()
  }

  /// Draws the same lines again, in the size that the terminal has now.
  func redraw() {
    picture.withLock { lines in
      let size = (columns: TerminalSize.columns ?? 0, rows: TerminalSize.rows ?? 0)
      Output.frame(LiveScreen.frame(lines, columns: size.columns, rows: size.rows))
    }
  }

  /// The text that draws the lines over the last ones, in one piece, so that nothing flickers: each line erases the rest
  /// of the old one, and the last one erases what is below. The last column stays free: there some terminals begin the
  /// next line.
  static func frame(_ lines: [String], columns: Int, rows: Int) -> String {
    let hidden = lines.count - rows
    let shown = hidden > 0 ? lines.prefix(max(0, rows - 1)) + ["… \(hidden + 1) more lines"] : lines[...]
    let cut = shown.map { VisibleText.cut($0, to: max(0, columns - 1)) + "\u{1B}[K" }
    return "\u{1B}[H" + cut.joined(separator: "\r\n") + "\u{1B}[J"
  }
}
