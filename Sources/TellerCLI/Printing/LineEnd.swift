import Dispatch
import Foundation
import Synchronization

/// A signal that ends the process while a line is half written has that line ended first: the shell's prompt would stand
/// behind it.
enum LineEnd {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Never cancelled: they are needed for as long as the process lives.
  private static let sources = Mutex<[any DispatchSourceSignal]>([])

  /// From now on.
  static func isKept() {
    sources.withLock { sources in
      if sources.isEmpty { sources = signals.map(source) }
    }
  }

  private static func source(_ number: Int32) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      Output.endLine()
      end(by: number)
    }
    source.resume()
    return source
  }

  /// As if nobody had listened: the shell is told by which signal the process has ended. Dispatch blocks the signals that
  /// it listens to.
  private static func end(by number: Int32) {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
  }
}
