import Foundation

/// The threads that handlers run on, and nothing else does.
///
/// A handler that blocks its thread (a slow library, a long computation) takes one of these away from the other
/// handlers, and never one from the connection, the presence and the reports, which live on the concurrent pool that
/// every process has. That pool has as many threads as the machine has cores: one blocking handler per core would
/// silence the whole worker, and the coordinator would take its jobs back.
///
/// Threads are made when there is work for them and none is free, up to the limit, and stay until `close()`.
/// `@unchecked Sendable`: every stored variable is read and written only while `condition` is locked.
final class HandlerThreads: TaskExecutor, @unchecked Sendable {
  /// The most threads that a worker makes for its handlers, however many tellers it has.
  static let most = 64
  /// Handlers are the user's code, with as much room as the main thread of a process usually has.
  static let stackSize = 8 << 20
  /// So many threads are made at once when they are wanted. Each further one first looks for a moment whether the others
  /// catch up: on a busy machine they may only wait for a core, and every thread keeps memory for good.
  private static let quickThreads = 8
  private static let hesitation: TimeInterval = 0.001
  /// With how many jobs a thread is woken although more are to come.
  private static let gatheringLimit = 8
  /// How many taken jobs stay in front of `jobs` at most.
  private static let takenLimit = 1024

  private var limit: Int
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []
  /// The first of `jobs` that is not taken yet: taking from the front must not move the rest.
  private var first = 0
  private var threads = 0
  private var idle = 0
  /// A thread was woken and has not taken its job yet; it wakes the next one if there is more to do. One at a time:
  /// short jobs are done by few threads before a crowd is awake.
  private var isWaking = false
  /// A thread was made and still looks whether it is needed.
  private var isGrowing = false
  private var isClosed = false
  /// More is about to come.
  private var isGathering = false

  /// - Parameter tellers: how many handlers may run at once.
  init(tellers: Int) {
    limit = max(1, min(tellers, HandlerThreads.most))
  }

  /// More handlers may run at once from now on. There are never fewer threads than there were: they may all be busy.
  func grow(tellers: Int) {
    condition.lock()
    limit = max(limit, min(tellers, HandlerThreads.most))
    wakeOne()
    condition.unlock()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.lock()
    jobs.append(job)
    wakeOne()
    condition.unlock()
  }

  /// Wakes threads once for all that the body enqueues, if that is not much: one that is woken for each job would be done
  /// and asleep before the next one comes. The body must be short.
  func gathering(_ body: () -> Void) {
    setGathering(true)
    body()
    setGathering(false)
  }

  private func setGathering(_ isGathering: Bool) {
    condition.lock()
    self.isGathering = isGathering
    wakeOne()
    condition.unlock()
  }

  /// No new threads; those that are idle end, the others when their jobs are done. What is enqueued later still runs,
  /// on a thread of its own: a task that was cancelled must be able to end.
  func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }

  private var hasWork: Bool { first < jobs.count }

  private func wakeOne() {
    guard !isWaking, hasWork else { return }
    if isGathering, jobs.count - first < HandlerThreads.gatheringLimit { return }
    if idle > 0 {
      isWaking = true
      condition.signal()
    } else if threads < limit, !isGrowing {
      startThread()
    }
  }

  private func startThread() {
    threads += 1
    let hesitates = threads > HandlerThreads.quickThreads
    if hesitates { isGrowing = true } else { isWaking = true }
    let thread = Thread { [self] in work(hesitates: hesitates) }
    thread.name = "teller-handler"
    thread.stackSize = HandlerThreads.stackSize
    thread.start()
  }

  private func work(hesitates: Bool) {
    // Not a wait on the condition until a time of day: were the clock set back, no thread would be made for long. An idle
    // thread that is signalled meanwhile takes what there is.
    if hesitates { Thread.sleep(forTimeInterval: HandlerThreads.hesitation) }
    condition.lock()
    if hesitates { isGrowing = false } else { isWaking = false }
    while let job = next() {
      wakeOne()
      condition.unlock()
      job.runSynchronously(on: asUnownedTaskExecutor())
      condition.lock()
    }
    threads -= 1
    condition.unlock()
  }

  /// Waits for a job; nil when there is none and none is to come.
  private func next() -> UnownedJob? {
    while !hasWork {
      if isClosed { return nil }
      idle += 1
      condition.wait()
      idle -= 1
      isWaking = false
    }
    defer { forgetTaken() }
    return jobs[first]
  }

  private func forgetTaken() {
    first += 1
    guard first == jobs.count || first >= HandlerThreads.takenLimit else { return }
    jobs.removeFirst(first)
    first = 0
  }
}
