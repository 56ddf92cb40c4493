import Foundation
import Synchronization

/// A signal that ends the process while a line is half written has that line ended first: the shell's prompt would stand
/// behind it.
///
/// The handler does only what one may do: it reads a flag, writes one byte, and ends the process by the same signal.
enum LineEnd {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let isLineOpen = Atomic(false)

  /// Listens from its first use on, but not to what this process was told to ignore when it was started, nor to what
  /// ends the command in good order.
  private static let listening: Void = {
    for number in signals where SignalDisposition(of: number) == .standard { signal(number, handler) }
  }()

  private static let handler: @convention(c) (Int32) -> Void = { number in
    if LineEnd.isLineOpen.load(ordering: .relaxed) {
      var end = UInt8(ascii: "\n")
      _ = write(STDERR_FILENO, &end, 1)
    }
    // As if nobody had listened: the shell is told by which signal the process has ended.
    signal(number, SIG_DFL)
    raise(number)
  }

  /// Whether something stands at the cursor from now on.
  static func isOpen(_ value: Bool) {
    isLineOpen.store(value, ordering: .relaxed)
    if value { listening }
  }
}
