internal import CProcess
internal import Foundation

/// A thread that is started now, or not at all. Foundation's `Thread` says nothing when the system has no thread left: what
/// was to run on it would wait for ever.
package enum OwnThread {
  /// Starts a thread, which ends with the body.
  ///
  /// - Parameters:
  ///   - name: For people who look at the process; 15 bytes of it are kept.
  ///   - stackSize: In bytes. Only touched pages cost memory.
  ///   - body: What runs on it.
  /// - Returns: Why there is no thread, in the system's words; nil: it has been started.
  package static func start(
    _ name: String, stackSize: Int = usualStack, _ body: @escaping @Sendable () -> Void
  ) -> String? {
    let box = Unmanaged.passRetained(Body(body))
    let problem = teller_thread_start(
      name, stackSize, { context in context.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() } },
      box.toOpaque())
    guard problem != 0 else { return nil }
    box.release()
    return String(cString: strerror(problem))
  }

  /// Checks whether the process can start this many more threads at once. Without threads, Swift's tasks hang, and some
  /// libraries end the process.
  ///
  /// - Parameter count: At least 1.
  /// - Returns: Why they cannot, in the system's words; nil: they can.
  package static func problem(ofStarting count: Int) -> String? {
    let problem = teller_threads_missing(Int32(clamping: count))
    return problem == 0 ? nil : String(cString: strerror(problem))
  }

  /// As much room as the main thread of a process usually has.
  package static let usualStack = 8 << 20

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
