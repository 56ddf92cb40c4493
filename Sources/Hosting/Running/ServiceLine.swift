import DequeModule
import JobModel
import Logging
import Synchronization

/// One service of a host: what waits for it, and the task that tells it. The queue decides; the line carries it out.
///
/// The task lives while there is something to tell. It is detached: the host's tasks, their priorities and their local
/// values are not the service's.
final class ServiceLine: Sendable {
  private struct State {
    var queue: CallQueue
    var telling: Task<Void, Never>?
    var errors = 0
    /// Those who wait until the service has caught up.
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    var lastWaiter = 0
  }

  private let service: any HostedService
  let limits: ServiceLimits
  private let logger: Logger
  private let thread: ServiceThread
  private let state: Mutex<State>

  init(_ service: any HostedService, _ limits: ServiceLimits, _ logger: Logger) {
    self.service = service
    self.limits = limits
    var logger = logger
    logger[metadataKey: "service"] = "\(service.name)"
    self.logger = logger
    thread = ServiceThread(logger)
    state = Mutex(State(queue: CallQueue(limits)))
  }

  deinit { thread.close() }

  /// Has the service told of it, after everything that was posted before. Returns at once.
  func post(_ call: HostCall) {
    let posted = state.withLock { state in
      let posted = state.queue.post(call)
      if posted.begin == .now { state.telling = begin() }
      return posted
    }
    if posted.begin == .soon { gather() }
    if posted.isFull { report(.full(limit: limits.jobs)) }
    if let event = posted.lost { report(.lost(event)) }
  }

  private func gather() {
    Task.detached { [self] in
      try? await Task.sleep(for: limits.gathering)
      state.withLock { state in
        if state.queue.gathered() { state.telling = begin() }
      }
    }
  }

  private func begin(after earlier: Task<Void, Never>? = nil) -> Task<Void, Never> {
    Task.detached(executorPreference: thread) { [self] in
      await earlier?.value
      await tell()
    }
  }

  /// Tells what waits, one call after the other; ends when nothing waits, or when the task is cancelled.
  private func tell() async {
    while !Task.isCancelled, let call = next() {
      do {
        try await service.take(call)
      } catch {
        noteError(error, in: call)
      }
    }
  }

  private func next() -> HostCall? {
    let (step, waiting) = state.withLock { state in
      let step = state.queue.next(at: .now)
      guard step.call == nil, !state.waiting.isEmpty else { return (step, [CheckedContinuation<Bool, Never>]()) }
      defer { state.waiting = [:] }
      return (step, Array(state.waiting.values))
    }
    if let late = step.returned { report(.returned(late.call, after: late.time)) }
    if step.dropped > 0 { report(.caughtUp(dropped: step.dropped)) }
    for continuation in waiting { continuation.resume(returning: true) }
    return step.call
  }

  private func noteError(_ error: any Error, in call: HostCall) {
    let count = state.withLock { state in
      state.errors += 1
      return state.errors
    }
    // Not written out when nobody reads it.
    if ServiceReport.isWorthwhile(error: count) { report(.threw(call, "\(error)", count: count)) }
  }

  func report(_ report: ServiceReport) {
    logger.log(level: report.level, "service \(service.name) \(report.text)")
  }

  /// Logs a call that does not end, once.
  func reportOverdue() {
    if let call = state.withLock({ $0.queue.overdue(at: .now) }) { report(.hangs(call, after: limits.hanging)) }
  }
}

// The start and the end.
extension ServiceLine {
  /// Waits for the end of the first calls, within the limit.
  func started(within limit: Duration) async {
    if !(await hasCaughtUp(within: limit)), !Task.isCancelled { report(.notStarted(within: limit)) }
  }

  /// Tells the last call, and waits until the service has ended: first for everything that waits; then without the calls
  /// about jobs and events, the call under way cancelled; then it is left behind.
  func stop(within limits: (all: Duration, last: Duration)) async {
    post(.life(.stopped))
    if await hasCaughtUp(within: limits.all) { return thread.close() }
    let hurried = hurry()
    // A host that ends at once gives no time: then the service was not slow.
    if limits.all > .zero || hurried.jobs > 0 { report(.cutShort(dropped: hurried.jobs)) }
    for event in hurried.events { report(.lost(event)) }
    if !(await hasCaughtUp(within: limits.last)) {
      state.withLock { $0.telling }?.cancel()
      report(.leftBehind)
    }
    thread.close()
  }

  /// Cancels the call under way, and tells what is left of the life cycle in a task that is not cancelled.
  private func hurry() -> CallQueue.Hurried {
    state.withLock { state in
      let hurried = state.queue.hurry()
      guard !state.queue.isIdle else { return hurried }
      let earlier = state.telling
      earlier?.cancel()
      state.telling = begin(after: earlier)
      return hurried
    }
  }

  /// Waits until nothing waits and no call is under way.
  ///
  /// - Returns: false when the limit has passed, or the caller's task is cancelled.
  func hasCaughtUp(within limit: Duration) async -> Bool {
    guard limit > .zero else { return state.withLock { $0.queue.isIdle } }
    let caughtUp = try? await within(limit, orThrow: { CancellationError() }) { await self.catchUp() }
    return caughtUp ?? false
  }

  private func catchUp() async -> Bool {
    let waiter = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait($0, as: waiter) }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume(returning: false)
    }
  }

  private func wait(_ continuation: CheckedContinuation<Bool, Never>, as waiter: Int) {
    let answer = state.withLock { state -> Bool? in
      if state.queue.isIdle { return true }
      // Asked under the lock: a cancellation after this finds the waiter, one before it is seen here.
      if Task.isCancelled { return false }
      state.waiting[waiter] = continuation
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }
}
