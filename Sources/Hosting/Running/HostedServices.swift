import AsyncAlgorithms
package import JobModel
package import Logging
package import Synchronization

/// The services of one host: the host says what happens to it, and each service is told by a task of its own.
///
/// Nothing that the host calls here waits for a service, but for ``start()``, ``settle(within:)`` and
/// ``stop(atOnce:)``, which have limits.
package final class HostedServices: Sendable {
  private struct State {
    var life = HostLife()
    /// In the order of their start.
    var lines: [ServiceLine] = []
    /// How many of the lines have been told that the host has started: what happens now is for these.
    var begun = 0
    var isStarting = false
    var look: Task<Void, Never>?

    /// Tells the next line how the host stands. Under the lock: what happens next is told behind it.
    mutating func beginNext() -> ServiceLine {
      let line = lines[begun]
      for call in life.soFar { line.post(.life(call)) }
      begun += 1
      return line
    }
  }

  private let logger: Logger
  /// A service has what they are when it is added; a step, for all together, what they are when it begins.
  package let limits: Mutex<ServiceLimits>
  private let state = Mutex(State())

  package init(logger: Logger, limits: ServiceLimits = ServiceLimits()) {
    self.logger = logger
    self.limits = Mutex(limits)
  }

  deinit { state.withLock { $0.look }?.cancel() }

  /// Adds a service, behind those that were added before. A host that runs tells it at once how it stands.
  package func add(_ service: any HostedService) {
    let line = ServiceLine(service, limits.withLock(\.self), logger)
    let isLate = state.withLock { state in
      if state.life.hasStopped { return true }
      state.lines.append(line)
      // Before the start, and during it, the start comes to this line by itself.
      guard !state.isStarting, !state.life.soFar.isEmpty else { return false }
      _ = state.beginNext()
      return false
    }
    if isLate { logger.warning("service \(service.name) was added after the end of its host, and is told nothing") }
  }

  /// Itself when there is a service; nil: nobody is to be told, and a host with many jobs need not ask again.
  package var ifAny: HostedServices? { state.withLock { $0.lines.isEmpty } ? nil : self }

  /// The run of the host begins: starts the services one after the other, each within its limit.
  package func start() async {
    let isNew = state.withLock { state in
      guard !state.isStarting, state.life.soFar.isEmpty, !state.life.hasStopped else { return false }
      state.isStarting = true
      state.life.start()
      return true
    }
    guard isNew else { return }
    let (limit, began) = (limits.withLock(\.start.all), ContinuousClock.now)
    watch()
    while let next = nextToStart() {
      let step = StepLimit(each: next.line.limits.start.each, all: limit)
      await next.line.started(within: step.share(after: ContinuousClock.now - began, left: next.left))
    }
  }

  /// Tells the next line of the start; gives the line, and how many are left with it.
  private func nextToStart() -> (line: ServiceLine, left: Int)? {
    state.withLock { state in
      guard state.begun < state.lines.count, !state.life.hasStopped else {
        state.isStarting = false
        return nil
      }
      let left = state.lines.count - state.begun
      return (state.beginNext(), left)
    }
  }

  /// Waits until the services have done what they were told so far, each beside the others: within that limit, and no
  /// longer than one of them may hold up the end of the host. For a host that takes away what they need for their
  /// drain.
  package func settle(within limit: Duration) async {
    let lines = state.withLock { $0.lines.prefix($0.begun) }
    await withTaskGroup { group in
      for line in lines { group.addTask { _ = await line.hasCaughtUp(within: min(limit, line.limits.stop.each)) } }
    }
  }

  /// The run of the host has ended: stops the services in reverse order, each within its limit. Not cut short by the end of
  /// the caller's task.
  ///
  /// - Parameter atOnce: whether nothing but the rest of the life cycle is told.
  package func stop(atOnce: Bool = false) async {
    let lines = state.withLock { state in
      state.life.stop() == nil ? [] : Array(state.lines.prefix(state.begun).reversed())
    }
    await Task.detached { [self] in await stop(lines, atOnce: atOnce) }.value
    state.withLock { state in
      state.look?.cancel()
      // The host lets go of its services: they may hold the host.
      (state.lines, state.begun, state.look) = ([], 0, nil)
    }
  }

  private func stop(_ lines: [ServiceLine], atOnce: Bool) async {
    let (limit, began) = (limits.withLock(\.stop.all), ContinuousClock.now)
    for (index, line) in lines.enumerated() {
      let step = StepLimit(each: line.limits.stop.each, all: limit)
      let share = step.share(after: ContinuousClock.now - began, left: lines.count - index)
      await line.stop(within: line.limits.stopping(within: share, atOnce: atOnce))
    }
  }

  /// Looks for calls that do not end, until the end of the host.
  private func watch() {
    let interval = limits.withLock(\.look)
    let look = Task.detached { [weak self] in
      for await _ in AsyncTimerSequence(interval: interval, clock: .continuous) {
        guard let self else { return }
        for line in state.withLock({ $0.lines }) { line.reportOverdue() }
      }
    }
    state.withLock { $0.look = look }
  }
}

// What happens to the host.
extension HostedServices {
  /// The host can work, or cannot.
  package func show(isOpen: Bool) { tell { $0.show(isOpen: isOpen) } }

  package func drain() { tell { $0.drain() } }

  package func jobStarted(_ job: HostedJob) { post(.jobStarted(job)) }

  package func jobEnded(_ end: HostedJobEnd) { post(.jobEnded(end)) }

  /// The one way in for events: whoever hears of an event of a plan in this host calls it.
  package func received(_ event: EventStatus) { post(.received(event)) }

  /// Posted while the state is locked: the calls are in one order for all services.
  private func tell(_ change: (inout HostLife) -> LifeCall?) {
    state.withLock { state in
      guard let call = change(&state.life) else { return }
      for line in state.lines.prefix(state.begun) { line.post(.life(call)) }
    }
  }

  private func post(_ call: HostCall) {
    for line in state.withLock({ $0.lines.prefix($0.begun) }) { line.post(call) }
  }
}
