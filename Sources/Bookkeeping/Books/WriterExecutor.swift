import Dispatch

/// A thread of its own for the one actor that waits for the disk: a commit blocks it, and nothing else.
final class WriterExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "teller.bookkeeper")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}
