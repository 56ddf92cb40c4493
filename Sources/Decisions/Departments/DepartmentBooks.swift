package import JobModel

/// The books of one department: the number of jobs that are released, held (and why) and ended; and why the department
/// is closed, if it is.
package struct DepartmentBooks: Hashable, Sendable {
  package private(set) var isOrdered: Bool
  /// How many jobs may run at once, in all workers together; nil: as many as there are tellers.
  package private(set) var cap: Int?
  /// How many jobs a worker takes beyond its tellers.
  package private(set) var ahead = 0
  /// Nothing is released while there is a reason.
  package internal(set) var closures: Set<Closure> = []
  package private(set) var window: Window
  /// How many of the places that are in use each group has; of a department without an order: none.
  private var groups: [OrderGroup: Int] = [:]
  /// The held jobs that wait for room alone, per priority level.
  package private(set) var ready = [Int](repeating: 0, count: Priority.levels.count)
  /// The held jobs that wait for a time.
  package private(set) var delayed = 0
  /// The held jobs that wait for the time of their next attempt.
  package private(set) var retrying = 0
  /// Of ``delayed`` and ``retrying``: the jobs that are held since the ledger was restored.
  package private(set) var restored = 0
  /// The held jobs that wait for other jobs, and for no time.
  package private(set) var dependent = 0
  /// The jobs that ``Hold/handler`` holds.
  package private(set) var unserved = 0
  /// The jobs that ``Hold/suspect`` holds.
  package private(set) var suspects = 0
  /// The void releases that keep a place of the window.
  package private(set) var void = 0
  package private(set) var finished: [JobState: Int] = [:]
  /// The failed jobs that nobody has looked after.
  package private(set) var unsettled = 0

  package init(isOrdered: Bool, window limit: Int, cap: Int? = nil) {
    self.isOrdered = isOrdered
    self.cap = cap
    window = isOrdered ? .ordered : cap.map { Window(limit: limit, cap: $0) } ?? Window(limit: limit)
  }

  /// Empty books, as the configuration has the department.
  package init(_ settings: DepartmentSettings) {
    self.init(isOrdered: settings.isOrdered, window: settings.window ?? Window.defaultLimit, cap: settings.cap)
    ahead = settings.ahead
  }

  /// The department has the settings of another one from now on. Its jobs stay counted.
  mutating func configure(like other: DepartmentBooks) {
    (isOrdered, cap, ahead) = (other.isOrdered, other.cap, other.ahead)
    window.resize(like: other.window)
  }

  /// Whether there is nothing to remember of a department that is not configured.
  var isForgettable: Bool {
    heldCount == 0 && window.inUse == 0 && finished.isEmpty && unsettled == 0
      && closures.allSatisfy { [.rolledBack, .unconfigured, .refused].contains($0) || $0.gate != nil }
  }

  package var isOpen: Bool { closures.isEmpty }
  package var isPaused: Bool { closures.contains(.paused) }
  /// Whether nothing can be published to its queue now.
  package var isUnreachable: Bool { closures.contains(.unconfigured) || closures.contains(.refused) }
  /// The plans that the department waits for.
  package var gates: [PlanName] {
    closures.compactMap(\.gate).sorted()
  }
  /// Whether an operation is about to cancel what the department held when it began.
  package var isBeingCleared: Bool { closures.contains { !$0.holdsNewJobs } }
  package var readyCount: Int { ready.reduce(0, +) }
  package var heldCount: Int { readyCount + delayed + retrying + dependent + unserved + suspects }
  /// The jobs that are released and have not ended.
  package var releasedCount: Int { window.inUse - void }
  /// The jobs that run or wait for their turn: not those that are held until a time, or until other jobs have ended.
  package var busyCount: Int { servableCount + unserved + suspects }
  /// The jobs of these that a teller can take: not those without a handler, and those that wait for their turn as suspects.
  package var servableCount: Int { readyCount + releasedCount }
  /// How many jobs can run at once when there are so many tellers. An ordered department counts as one: how many of its
  /// jobs may run beside each other, their ranks decide.
  package func usedTellers(of tellers: Int) -> Int { isOrdered ? min(1, tellers) : min(cap ?? tellers, tellers) }
  /// Whether more jobs could run at once with one more teller.
  package func isGrowable(beyond tellers: Int) -> Bool { !isOrdered && cap.map { $0 > tellers } ?? true }
}

// MARK: - Room

extension DepartmentBooks {
  /// How many ready jobs of a level could be released now: those that fit into the shared window, which goes to the job
  /// that stands first, and into the level's reserve.
  package func room(for priority: Priority) -> Int {
    guard ready[priority.level] > 0, isOpen else { return 0 }
    return min(ready[priority.level], window.sharedRoom + window.reserveRoom(for: priority))
  }

  package var hasRoomForReady: Bool { Priority.all.contains { room(for: $0) > 0 } }

  package func hasRoom(for priority: Priority, fromShared: Bool) -> Bool {
    isOpen && (fromShared ? window.hasRoom(for: priority) : window.reserveRoom(for: priority) > 0)
  }

  /// Whether a suspect could be released, of any priority.
  package var hasRoomForSuspect: Bool { isOpen && window.inUse < window.most }

  /// Takes a place for a job that was just accepted, unless other jobs of its level wait already: it would overtake
  /// them.
  mutating func takeAtOnce(_ priority: Priority, fromShared: Bool = true) -> Window.Slot? {
    // In an ordered department a job is released when its place is known.
    guard !isOrdered, ready[priority.level] == 0, !closures.contains(where: \.holdsNewJobs) else { return nil }
    return window.take(priority, fromShared: fromShared)
  }

  /// Takes a place for a job that was held for that reason.
  mutating func take(_ priority: Priority, heldFor hold: Hold, fromShared: Bool = true) -> Window.Slot? {
    guard let slot = window.take(priority, fromShared: fromShared) else { return nil }
    count(-1, hold, priority)
    return slot
  }

  /// Counts a release that is in its queue already.
  mutating func takeRegardless(_ priority: Priority, fromShared: Bool = true) -> Window.Slot {
    window.takeRegardless(priority, fromShared: fromShared)
  }

  mutating func give(_ slot: Window.Slot, _ priority: Priority) {
    window.give(slot, priority)
  }

  /// A job of the group has taken its place.
  mutating func join(_ group: OrderGroup?) {
    if let group { groups[group, default: 0] += 1 }
  }

  /// A job of the group has given its place back.
  mutating func leave(_ group: OrderGroup?) {
    guard let group, let count = groups[group] else { return }
    groups[group] = count == 1 ? nil : count - 1
  }

  /// What all released jobs are a part of. Nil: nothing is released, or several groups are, or a job without an order.
  package var group: OrderGroup? {
    guard groups.count == 1, let only = groups.first, only.value == window.inUse else { return nil }
    return only.key
  }

  /// Whether a job of the group may be released now, in an ordered department: nothing of another group is.
  package func mayJoin(_ new: OrderGroup) -> Bool {
    isOpen && (window.inUse == 0 || group == new) && window.sharedRoom > 0
  }
}

// MARK: - Counts

extension DepartmentBooks {
  /// Adds to the number of jobs that are held for a reason; a negative number takes away.
  mutating func count(_ jobs: Int, _ hold: Hold, _ priority: Priority) {
    switch hold {
    case .room: ready[priority.level] += jobs
    case .time: delayed += jobs
    case .retry: retrying += jobs
    case .jobs: dependent += jobs
    case .handler: unserved += jobs
    case .suspect: suspects += jobs
    }
  }

  /// Adds to the number of jobs that are held since the ledger was restored.
  mutating func countRestored(_ jobs: Int) { restored += jobs }
  mutating func countVoid(_ releases: Int) { void += releases }
  mutating func countFinished(_ jobs: Int, _ state: JobState) { finished[state, default: 0] += jobs }
  mutating func countUnsettled(_ jobs: Int) { unsettled += jobs }
}
