import Dispatch
import Synchronization

/// A thread of its own for the one actor that waits for the disk: a commit blocks it, and nothing else.
package final class WriterExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "teller.bookkeeper")
  private let waiting = Atomic(0)
  private let checksThread: Bool

  /// `checksThread`: false for a program that calls the books from one place at a time, and need not change the thread.
  package init(checksThread: Bool = true) { self.checksThread = checksThread }

  /// Whether somebody waits for the thread.
  var isWanted: Bool { waiting.load(ordering: .relaxed) > 0 }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    waiting.add(1, ordering: .relaxed)
    queue.async {
      self.waiting.subtract(1, ordering: .relaxed)
      job.runSynchronously(on: self.asUnownedSerialExecutor())
    }
  }

  /// Calls a function when everybody who waits by now has had the thread.
  func afterOthers(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  package func checkIsolated() {
    if checksThread { dispatchPrecondition(condition: .onQueue(queue)) }
  }
}
