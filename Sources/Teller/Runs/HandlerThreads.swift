import DequeModule
import Foundation

/// The threads of the handlers of one department, and of nothing else.
///
/// A handler that blocks its thread (a slow library, a long computation) takes a thread away from the other handlers of
/// its department, and never from another department, the connection, the presence and the reports. Those run on the
/// concurrent pool that every process has, with as many threads as the machine has cores: there one blocking handler per
/// core would silence the whole worker, and the coordinator would take its jobs back.
///
/// A thread is made when there is work and no thread is free, up to the limit. It stays until ``close()``.
// Unchecked: every stored variable is read and written only while `condition` is locked.
final class HandlerThreads: TaskExecutor, @unchecked Sendable {
  /// The most threads that a department's handlers have, however many tellers the department has.
  static let most = 64
  /// Handlers are the user's code, with as much room as the main thread of a process usually has.
  static let stackSize = 8 << 20
  /// How many threads are made without hesitation. Each further thread first waits for a moment whether the others catch
  /// up: on a busy machine they may only wait for a core, and every thread keeps memory for good.
  private static let quickThreads = 8
  private static let hesitation: TimeInterval = 0.001
  /// With so many jobs a thread is woken, although more are to come.
  private static let gatheringLimit = 8

  private let most: Int
  private var limit: Int
  private let condition = NSCondition()
  private var jobs: Deque<UnownedJob> = []
  private var threads = 0
  private var idle = 0
  /// A thread was woken and has not taken its job yet. It wakes the next thread if there are more jobs. One at a time: few
  /// threads finish short jobs before a crowd is awake.
  private var isWaking = false
  /// A thread was made and still hesitates.
  private var isGrowing = false
  private var isClosed = false
  /// More jobs are about to come.
  private var isGathering = false

  /// - Parameters:
  ///   - most: the most threads, however many tellers there are.
  ///   - tellers: how many handlers may run at once.
  init(most: Int = HandlerThreads.most, tellers: Int) {
    self.most = most
    limit = max(1, min(tellers, most))
  }

  /// Raises the limit. It never becomes lower: all threads may be busy.
  func grow(tellers: Int) {
    condition.lock()
    limit = max(limit, min(tellers, most))
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

  /// Begins or ends a time in which jobs come together. Threads are woken once for all of them, if they are few: a thread
  /// that is woken for each would be done and asleep before the next one comes. The time must be short.
  func gather(_ isGathering: Bool) {
    condition.lock()
    self.isGathering = isGathering
    wakeOne()
    condition.unlock()
  }

  /// Ends the threads: an idle one at once, a busy one after its jobs. A job that is enqueued later still runs, on a new
  /// thread: a task that was cancelled must be able to end.
  func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }

  private func wakeOne() {
    guard !isWaking, !jobs.isEmpty else { return }
    if isGathering, jobs.count < HandlerThreads.gatheringLimit { return }
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
    // thread that is signalled meanwhile takes the job.
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

  /// Waits for a job; nil: there is none, and the threads are closed.
  private func next() -> UnownedJob? {
    while jobs.isEmpty {
      if isClosed { return nil }
      idle += 1
      condition.wait()
      idle -= 1
      isWaking = false
    }
    return jobs.popFirst()
  }
}
