import Foundation
import UnixSignals

/// SIGTERM and SIGINT, as commands handle them.
enum StopSignals {
  private enum End: Sendable { case finished, closed }

  /// Runs the body until it returns. The first signal calls `drain`, the second one ends the run at once.
  ///
  /// - Throws: the error of the body; `Failure` with `interrupted` after the second signal.
  static func run(
    drain: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let end = try await withThrowingTaskGroup(of: End.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        try await body()
        return .finished
      }
      group.addTask {
        var received = 0
        for await _ in signals {
          received += 1
          if received > 1 { return .closed }
          drain()
        }
        // The sequence ends when this task is cancelled, after the body has ended.
        return .closed
      }
      return try await group.next() ?? .finished
    }
    guard end == .closed else { return }
    throw Failure(.interrupted, "closed at once; what was under way is taken up at the next start")
  }

  /// Runs a body that returns a value also when it is cancelled. The first signal cancels the body. From then on, and once
  /// the body has ended, a signal ends the process at once: what has to be done before is done by `prepare`. A signal that
  /// the process was started to ignore stays ignored.
  ///
  /// - Returns: the value of the body, and whether there was a signal.
  static func interrupting<Value: Sendable>(
    by signals: [UnixSignal] = [.sigterm, .sigint], prepare: @escaping @Sendable () -> Void = {},
    _ body: @escaping @Sendable () async -> Value
  ) async -> (value: Value, isInterrupted: Bool) {
    // Not only those with the default effect: Swift's runtime prints a backtrace at SIGQUIT.
    let trapped = signals.filter { !SignalDisposition.isIgnored($0.rawValue) }
    let signals = await UnixSignalsSequence(trapping: trapped)
    let work = Task { await body() }
    let watch = Task {
      for await _ in signals {
        prepare()
        work.cancel()
        restore(trapped)
        return true
      }
      return false
    }
    let value = await work.value
    restore(trapped)
    watch.cancel()
    return (value, await watch.value)
  }

  private static func restore(_ signals: [UnixSignal]) {
    for trapped in signals { signal(trapped.rawValue, SIG_DFL) }
  }
}
