import DequeModule
import Dispatch
import Foundation
import Logging
import Processes

/// The thread of one service. A service that blocks its thread takes none from the host, nor from another service.
///
/// The thread is made with the first call, and stays until ``close()``.
// Unchecked: every stored variable is read and written only while `condition` is locked.
final class ServiceThread: TaskExecutor, @unchecked Sendable {
  /// Services are the user's code, with as much room as the main thread of a process usually has.
  private static let stackSize = 8 << 20
  /// How soon a thread is tried again that could not be started, in seconds.
  private static let retryAfter = 1.0

  private let logger: Logger
  private let condition = NSCondition()
  private var jobs: Deque<UnownedJob> = []
  private var isAlive = false
  private var isClosed = false
  /// It is in the log that no thread can be started.
  private var isTold = false

  init(_ logger: Logger = Logger(label: "teller.services")) { self.logger = logger }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    if isAlive { condition.signal() } else { start() }
    condition.unlock()
  }

  /// Ends the thread after its jobs. A job that comes later still runs, on a new thread: a task that was cancelled must be
  /// able to end.
  func close() {
    condition.lock()
    isClosed = true
    condition.signal()
    condition.unlock()
  }

  private func start() {
    let problem = OwnThread.start("teller-service", stackSize: ServiceThread.stackSize) { [self] in work() }
    isAlive = problem == nil
    if let problem {
      if !isTold { logger.error("a service waits, as no thread can be started: \(problem)") }
      // The jobs wait until the system has a thread again.
      DispatchQueue.global().asyncAfter(deadline: .now() + ServiceThread.retryAfter) { [self] in tryAgain() }
    } else if isTold {
      logger.notice("services have threads again")
    }
    isTold = problem != nil
  }

  private func tryAgain() {
    condition.lock()
    if !isAlive, !jobs.isEmpty { start() }
    condition.unlock()
  }

  private func work() {
    condition.lock()
    while let job = next() {
      condition.unlock()
      job.runSynchronously(on: asUnownedTaskExecutor())
      condition.lock()
    }
    isAlive = false
    condition.unlock()
  }

  /// Waits for a job; nil: there is none, and the thread is closed.
  private func next() -> UnownedJob? {
    while jobs.isEmpty, !isClosed { condition.wait() }
    return jobs.popFirst()
  }
}
