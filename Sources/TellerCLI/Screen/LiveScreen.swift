import Foundation
import Synchronization

/// A picture that is drawn again and again on the same place of a terminal: its second screen. The first screen, with
/// what the person has typed, comes back at the end.
final class LiveScreen: Sendable {
  private enum Place { case first, second, ended }

  private struct Canvas {
    var place = Place.first
    var picture: [String] = []
  }

  private let canvas = Mutex(Canvas())

  /// Shows the second screen.
  func begin() { canvas.withLock { LiveScreen.enter(&$0) } }

  /// Shows the first screen for good: nothing is drawn any more. May be called again.
  func end() {
    canvas.withLock {
      LiveScreen.leave(&$0)
      $0.place = .ended
    }
  }

  /// Shows other lines.
  func show(_ lines: [String]) {
    canvas.withLock {
      $0.picture = lines
      LiveScreen.drawPicture($0)
    }
  }

  /// Draws the same lines again, in the size that the terminal has now.
  func redraw() { canvas.withLock { LiveScreen.drawPicture($0) } }

  /// Shows the first screen while the body runs.
  func away(_ body: () -> Void) {
    canvas.withLock { LiveScreen.leave(&$0) }
    body()
    canvas.withLock {
      LiveScreen.enter(&$0)
      LiveScreen.drawPicture($0)
    }
  }

  private static func enter(_ canvas: inout Canvas) {
    guard canvas.place == .first else { return }
    canvas.place = .second
    Output.frame("\u{1B}[?1049h\u{1B}[?25l")
  }

  private static func leave(_ canvas: inout Canvas) {
    guard canvas.place == .second else { return }
    canvas.place = .first
    Output.frame("\u{1B}[?25h\u{1B}[?1049l")
  }

  private static func drawPicture(_ canvas: Canvas) {
    guard canvas.place == .second else { return }
    let size = (columns: TerminalSize.columns ?? 0, rows: TerminalSize.rows ?? 0)
    Output.frame(frame(canvas.picture, columns: size.columns, rows: size.rows))
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
