import DequeModule
package import JobModel

/// The calls that wait for one service, and the call that it is in: what is told next and when, what is dropped, what is
/// overdue. A pure value.
///
/// One call at a time is told. The order is that of the posts. ``LifeCall/stopped`` is the last call: what is posted behind
/// it is not told.
package struct CallQueue: Sendable {
  /// What the one who posts is to do about the telling.
  package enum Begin: Hashable, Sendable {
    /// Nothing: the calls are being told, or will be.
    case no
    /// Begin to tell.
    case now
    /// Begin after a moment, unless somebody does so earlier: see ``CallQueue/gathered()``. To wake a thread for each call
    /// about a job would cost more than the calls themselves.
    case soon
  }

  /// What a post has caused.
  package struct Posted: Hashable, Sendable {
    package var begin = Begin.no
    /// A call about a job was dropped, for the first time since the service had caught up.
    package var isFull = false
    /// The event that was dropped.
    package var lost: EventStatus?
  }

  /// A step of the telling.
  package struct Step: Hashable, Sendable {
    /// The call to be told now; nil: none waits, and the telling is to end.
    package var call: HostCall?
    /// The call before, if it was reported as overdue, and how long it took.
    package var returned: Late?
    /// How many calls about jobs were dropped; told when the service has caught up.
    package var dropped = 0
  }

  /// A call that took too long.
  package struct Late: Hashable, Sendable {
    package var call: HostCall
    package var time: Duration
  }

  /// What was given up so that the service may end.
  package struct Hurried: Hashable, Sendable {
    /// How many calls about jobs were dropped since the service had caught up.
    package var jobs = 0
    package var events: [EventStatus] = []
  }

  /// The call that the service is in.
  private struct Current: Sendable {
    let call: HostCall
    let since: ContinuousClock.Instant
    var isReported = false
  }

  /// How many calls of each sort wait.
  private struct Counts: Sendable {
    var life = 0
    var event = 0
    var job = 0

    mutating func change(by difference: Int, _ sort: HostCall.Sort) {
      switch sort {
      case .life: life += difference
      case .event: event += difference
      case .job: job += difference
      }
    }
  }

  private let limits: ServiceLimits
  private var waiting: Deque<HostCall> = []
  private var counts = Counts()
  private var current: Current?
  private var isTelling = false
  private var isGathering = false
  private var isClosed = false
  private var droppedJobs = 0

  package init(_ limits: ServiceLimits = ServiceLimits()) { self.limits = limits }

  /// Nothing waits, and the service is in no call.
  package var isIdle: Bool { !isTelling && waiting.isEmpty }

  package mutating func post(_ call: HostCall) -> Posted {
    if isClosed { return Posted() }
    var posted = Posted()
    let sort = call.sort
    makeRoom(for: sort, &posted)
    waiting.append(call)
    counts.change(by: 1, sort)
    if case .life(.stopped) = call { isClosed = true }
    posted.begin = begin(after: sort)
    return posted
  }

  private mutating func begin(after sort: HostCall.Sort) -> Begin {
    if isTelling { return .no }
    // Half full, the queue does not wait for more.
    guard sort == .job, counts.job <= limits.jobs / 2 else {
      (isTelling, isGathering) = (true, false)
      return .now
    }
    if isGathering { return .no }
    isGathering = true
    return .soon
  }

  /// The moment after ``Begin/soon`` has passed.
  ///
  /// - Returns: whether the caller is to begin to tell.
  package mutating func gathered() -> Bool {
    guard isGathering else { return false }
    (isTelling, isGathering) = (true, false)
    return true
  }

  /// Ends the call that the service is in, and begins the next one.
  package mutating func next(at now: ContinuousClock.Instant) -> Step {
    var step = Step()
    if let current, current.isReported { step.returned = Late(call: current.call, time: now - current.since) }
    step.call = waiting.popFirst()
    if let call = step.call {
      counts.change(by: -1, call.sort)
      current = Current(call: call, since: now)
    } else {
      (current, isTelling) = (nil, false)
      step.dropped = takeDropped()
    }
    return step
  }

  /// The call that has been overdue since the last look; each call is overdue once.
  package mutating func overdue(at now: ContinuousClock.Instant) -> HostCall? {
    guard let current, !current.isReported, now - current.since >= limits.hanging else { return nil }
    self.current?.isReported = true
    return current.call
  }

  /// Leaves only the calls of the life cycle.
  package mutating func hurry() -> Hurried {
    var hurried = Hurried(jobs: takeDropped())
    for call in waiting {
      switch call {
      case .received(let event): hurried.events.append(event)
      case .jobStarted, .jobEnded: hurried.jobs += 1
      case .life: break
      }
    }
    waiting.removeAll { $0.sort != .life }
    (counts.event, counts.job) = (0, 0)
    return hurried
  }

  private mutating func takeDropped() -> Int {
    defer { droppedJobs = 0 }
    return droppedJobs
  }
}

extension CallQueue {
  private mutating func makeRoom(for sort: HostCall.Sort, _ posted: inout Posted) {
    switch sort {
    case .job:
      guard counts.job >= limits.jobs, dropOldest(.job) != nil else { return }
      droppedJobs += 1
      posted.isFull = droppedJobs == 1
    case .event:
      guard counts.event >= limits.events, case .received(let event)? = dropOldest(.event) else { return }
      posted.lost = event
    case .life:
      if counts.life >= max(limits.lifeCalls, ServiceLimits.fewestLifeCalls) { dropPause() }
    }
  }

  private mutating func dropOldest(_ sort: HostCall.Sort) -> HostCall? {
    guard let index = waiting.firstIndex(where: { $0.sort == sort }) else { return nil }
    counts.change(by: -1, sort)
    return waiting.remove(at: index)
  }

  /// Leaves out the first two calls about pauses. They follow each other: a pause and its end, or the end of a pause that
  /// was told and the next pause. So the calls that are left fit to each other.
  private mutating func dropPause() {
    for _ in 1...2 {
      guard let index = waiting.firstIndex(where: { $0 == .life(.paused) || $0 == .life(.resumed) }) else { return }
      waiting.remove(at: index)
      counts.life -= 1
    }
  }
}

extension HostCall {
  /// What a call is about: each sort has room of its own.
  fileprivate enum Sort { case life, event, job }

  fileprivate var sort: Sort {
    switch self {
    case .life: .life
    case .received: .event
    case .jobStarted, .jobEnded: .job
    }
  }
}
