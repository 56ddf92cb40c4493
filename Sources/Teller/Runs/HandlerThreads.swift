import DequeModule
import Foundation
import Processes

/// The threads of the handlers of one department, and of nothing else.
///
/// A handler that blocks its thread (a slow library, a long computation) takes a thread away from the other handlers of
/// its department, and never from another department, the connection, the presence and the reports. Those run on the
/// concurrent pool that every process has, with as many threads as the machine has cores: there one blocking handler per
/// core would silence the whole worker, and the coordinator would take its jobs back.
///
/// A thread is made when there is work and no thread is free, up to the limit. It stays until ``close()``. When the system
/// has none left, the threads that are there do the work. Whoever waits for one is told by ``shortage``.
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

  /// Starts a thread; what it returns says why there is none.
  typealias Start = @Sendable (_ name: String, _ stackSize: Int, _ body: @escaping @Sendable () -> Void) -> String?

  private let most: Int
  private let start: Start
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
  /// Why the last thread could not be started; nil: it was.
  private var problem: String?

  /// - Parameters:
  ///   - most: the most threads, however many tellers there are.
  ///   - tellers: how many handlers may run at once.
  ///   - start: starts a thread.
  init(
    most: Int = HandlerThreads.most, tellers: Int,
    start: @escaping Start = { OwnThread.start($0, stackSize: $1, $2) }
  ) {
    self.most = most
    self.start = start
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

  /// What there is too little of.
  struct Shortage: Hashable, Sendable {
    /// Why no thread can be started, in the system's words.
    let reason: String
    /// No thread is there: nothing can run.
    let isTotal: Bool
  }

  /// Nil: the last thread that was wanted could be started.
  var shortage: Shortage? {
    condition.lock()
    defer { condition.unlock() }
    return problem.map { Shortage(reason: $0, isTotal: threads == 0) }
  }

  /// How many threads there are, if there can be no more, each is at work, and something waits for one; else nil.
  var allAtWork: Int? {
    condition.lock()
    defer { condition.unlock() }
    return threads >= limit && idle == 0 && !jobs.isEmpty ? threads : nil
  }

  /// Tries again to start a thread, if one was missing and is still wanted. When nothing is wanted any more, nothing is
  /// missing.
  func tryAgain() {
    condition.lock()
    if problem != nil, jobs.isEmpty { problem = nil }
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
    let hesitates = threads >= HandlerThreads.quickThreads
    problem = start("teller-handler", HandlerThreads.stackSize) { [self] in work(hesitates: hesitates) }
    guard problem == nil else { return }
    threads += 1
    if hesitates { isGrowing = true } else { isWaking = true }
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
