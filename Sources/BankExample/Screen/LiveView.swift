import Synchronization

/// The bank on a terminal, redrawn in place.
final class LiveView: Display {
  private let drawnLines = Mutex(0)

  init() {
    Terminal.write(Terminal.hideCursor)
  }

  func show(_ news: News?, floor: Floor, clock: Duration) {
    drawnLines.withLock { drawn in
      let frame = LiveView.frame(floor, clock: clock, width: Terminal.width)
      // Written in one part: a frame in two parts would flicker.
      Terminal.write(Terminal.erase(lines: drawn) + frame.map { $0 + "\n" }.joined())
      drawn = frame.count
    }
  }

  func close() {
    Terminal.write(Terminal.showCursor)
  }

  /// The lines of a frame. None is wider than the terminal: a line that wraps could not be erased.
  static func frame(_ floor: Floor, clock: Duration, width: Int) -> [String] {
    var lines = ["The bank · \(ReportText.seconds(clock)) · \(floor.served) served"]
    lines.append("  opening   \(floor.opening.line)")
    lines.append("  push      \(floor.opening.pushLine)")
    for business in Business.allCases {
      let counter = floor.counters[business] ?? Floor.Counter()
      let failed = counter.failed == 0 ? "" : " · \(counter.failed) failed"
      lines.append("  \(business)")
      lines.append("    served    \(counter.served)\(failed)")
      lines.append("    serving   \(people(counter.serving))")
      lines.append("    \(floor.isOpen ? "waiting" : "at door")   \(counter.waiting.count)  \(people(counter.waiting))")
    }
    lines += floor.obstacles.flatMap(\.advice).map { "  \($0)" }
    return lines.map { String($0.prefix(max(1, width - 1))) }
  }

  private static func people(_ numbers: [Int]) -> String {
    numbers.map { "#\($0)" }.joined(separator: " ")
  }
}
