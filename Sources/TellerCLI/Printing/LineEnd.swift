import Foundation
import Synchronization

/// Ends a half-written line when a signal ends the process: else the shell's prompt would stand behind it.
///
/// The handler does only what a signal handler may do: it reads a flag, writes one byte, and ends the process by the same
/// signal.
enum LineEnd {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let isLineOpen = Atomic(false)

  /// Handles the signals, from its first use on. A signal stays as it is when this process was started to ignore it, or when
  /// another part of the command handles it.
  private static let listening: Void = {
    for number in signals where SignalDisposition.isDefault(of: number) { signal(number, handler) }
  }()

  private static let handler: @convention(c) (Int32) -> Void = { number in
    if LineEnd.isLineOpen.load(ordering: .relaxed) {
      var end = UInt8(ascii: "\n")
      _ = write(STDERR_FILENO, &end, 1)
    }
    // The default effect, so that the shell learns which signal has ended the process.
    signal(number, SIG_DFL)
    raise(number)
  }

  /// Sets whether a half-written line stands at the cursor.
  static func isOpen(_ value: Bool) {
    isLineOpen.store(value, ordering: .relaxed)
    if value { listening }
  }
}
