import Decisions
import JobModel
import Ledger

extension Bookkeeper {
  /// Releases held jobs into every window that has room, up to a turn's limit; the rest is for ``fillMore()``.
  func fill(_ turn: Turn) throws {
    // Whoever empties the outbox calls again.
    guard outbox.hasRoom, turn.budget.hasRoom, !isQuiet else { return }
    try releaseSuspects(turn)
    let departments = departmentsToFill()
    var previous = lastFilled
    for department in departments {
      let wasEnough =
        self[desk: department].isOrdered
        ? try releaseNextInOrder(of: department, turn)
        : try releaseByStanding(of: department, turn)
      if wasEnough { unfilled.remove(department) }
      guard turn.budget.hasRoom else {
        // The next turn begins behind this one if it had the whole turn, and with this one if it was cut short.
        lastFilled = wasEnough || department == departments.first ? department : previous
        return
      }
      previous = department
    }
  }

  /// Those that may have something to release, each in its turn.
  private func departmentsToFill() -> [Department] {
    let open = unfilled.filter { !isBeingCleared($0) }
    guard open.count > 1 else { return Array(open) }
    let sorted = open.sorted()
    guard let last = lastFilled else { return sorted }
    return sorted.filter { $0 > last } + sorted.filter { $0 <= last }
  }

  /// Another turn's worth, when one turn was not enough. Called when everything decided so far has been told, so that
  /// a large window is filled at the pace of the broker.
  func fillMore() throws(LedgerError) {
    guard !unfilled.isEmpty else { return }
    try turn { turn in try fill(turn) }
  }

  /// Whether the window is now as full as it can be.
  private func releaseByStanding(
    of department: Department, _ turn: Turn
  ) throws -> Bool {
    guard configuration.departments[department] != nil else { return true }
    var isToRepeat = true
    while isToRepeat {
      isToRepeat = false
      for candidate in try candidates(of: department, turn) {
        guard turn.budget.hasRoom else { return false }
        switch candidate {
        case .ready(let job):
          if try release(job, of: department, turn) { isToRepeat = true }
        case .waiting(let job, let queue):
          if try release(job, to: queue, turn) { isToRepeat = true }
        }
      }
    }
    // With the last candidate the turn may have had its limit.
    return turn.budget.hasRoom && !self[desk: department].hasRoomForReady
  }

  /// - Returns: Whether others may fit all the same: it took no place.
  private func release(
    _ ready: ReadyJob, of department: Department, _ turn: Turn
  ) throws -> Bool {
    // Only what fits is read with its payload.
    guard self[desk: department].room(for: ready.priority) > 0, let job = try turn.ledger.held(ready.number)
    else { return false }
    let kind = job.job.kind
    let route = route(of: kind, in: department)
    let isSharing = mayShare(kind, in: department, by: route)
    if route != .nowhere, let slot = self[desk: department].takeReady(ready.priority, fromShared: isSharing) {
      try release(job, slot, turn)
      return false
    }
    try withhold(job.job.number, kind, in: department, job.job.priority, turn)
    turn.budget.spend(bytes: 0)
    // Nothing is told of it, so that nobody would call again.
    chores.isToFill = true
    return true
  }

  /// What may be released, by standing.
  private func candidates(of department: Department, _ turn: Turn) throws -> [Candidate] {
    let ready = try readyJobs(of: department, turn).map { Candidate.ready($0) }
    let waiting = try waitingJobs(of: department, turn).map { Candidate.waiting($0.job, $0.queue) }
    return waiting.isEmpty ? ready : (ready + waiting).sorted { $0.standing < $1.standing }
  }

  /// The ready jobs that may fit, by standing: of each level as many as its room allows.
  private func readyJobs(of department: Department, _ turn: Turn) throws -> [ReadyJob] {
    guard self[desk: department].hasRoomForReady else { return [] }
    var candidates: [ReadyJob] = []
    for level in Priority.levels {
      guard let priority = Priority(level) else { continue }
      let count = min(self[desk: department].room(for: priority), ReleaseBudget.releases)
      guard count > 0 else { continue }
      candidates += try turn.ledger.ready(in: department, priority: priority, limit: count)
    }
    return candidates.sorted { $0.standing < $1.standing }
  }

  /// An ordered department releases one job at a time: the first that is not finished. One that is to be tried again
  /// later keeps all behind it waiting.
  private func releaseNextInOrder(
    of department: Department, _ turn: Turn
  ) throws -> Bool {
    guard self[desk: department].window.inUse == 0, self[desk: department].readyCount > 0,
      !self[desk: department].isPaused, let job = try turn.ledger.firstInOrder(of: department),
      job.job.hold == .room
    else { return true }
    if route(of: job.job.kind, in: department) == .nowhere {
      try withhold(job.job.number, job.job.kind, in: department, job.job.priority, turn)
      return true
    }
    guard let slot = self[desk: department].takeReady(job.job.priority) else { return true }
    try release(job, slot, turn)
    // If it came too late, the next one may go.
    return released[job.job.id] != nil
  }

  func release(
    _ job: HeldJob, _ slot: Window.Slot, _ turn: Turn
  ) throws {
    let now = self.now
    if job.job.isTooLate(at: now) { return try endTooLate(job.job, slot, turn) }
    var entry = LiveJob(
      job.job, standing: job.standing, slot, releasedAt: now,
      releasePriority: releasePriority(job.job.priority, job.standing, at: now))
    entry.progress.lastTaken = JobProgress.lastNumber(before: epoch)
    _ = entry.progress.apply(.lifted)
    try setQueue(of: &entry, turn)
    try turn.ledger.save(entry.progress, of: entry.number, releasedAt: entry.releasedAt, isBeside: entry.isBeside)
    released[entry.id] = entry
    turn.budget.spend(bytes: job.content.payload.count)
    turn.tell(.assignment(entry.assignment(of: ledger.id, epoch: epoch, job.content)))
  }

  /// Its time to start has passed while it was held, or while no coordinator ran: it gives its place back, and ends.
  private func endTooLate(
    _ job: Job, _ slot: Window.Slot, _ turn: Turn
  ) throws {
    self[desk: job.department].give(slot, job.priority)
    self[desk: job.department].hold(job.hold, job.priority)
    turn.budget.spend(bytes: 0)
    chores.isToFill = true
    try end(job, .failed(.tooLate()), turn)
  }

  /// Releases again what has been released before: an attempt that failed or was interrupted. Its place is kept. What
  /// is too much for one turn is published by the chores.
  func releaseAgain(
    _ entry: LiveJob, _ turn: Turn
  ) throws {
    let route = route(of: entry.kind, in: entry.department)
    // What has a place beside already takes no further one there.
    let isFull = !entry.isBeside && entry.slot == .shared && !mayShare(entry.kind, in: entry.department, by: route)
    if route == .nowhere || isFull { return try holdForHandler(entry, turn) }
    var entry = entry
    entry.releasedAt = now
    entry.since = SessionClock.now
    entry.isReturned = false
    entry.isConfirmed = false
    entry.adoptedBy = nil
    entry.run = nil
    entry.isLevelKnown = true
    entry.releasePriority = releasePriority(entry.priority, entry.standing, at: entry.releasedAt)
    try setQueue(of: &entry, turn)
    try turn.ledger.save(entry.progress, of: entry.number, releasedAt: entry.releasedAt, isBeside: entry.isBeside)
    released[entry.id] = entry
    guard turn.budget.hasRoom else { return chores.unpublished.append(entry.release) }
    guard let content = try turn.ledger.content(of: entry.number) else { return }
    turn.budget.spend(bytes: content.payload.count)
    turn.tell(.assignment(entry.assignment(of: ledger.id, epoch: epoch, content)))
  }

  /// The broker has these releases in their queues.
  func confirmed(_ releases: [ReleaseID]) {
    for release in releases {
      voidPlaces[release]?.isSettled = true
      guard released[release.job]?.progress.release == release.number else { continue }
      released[release.job]?.isConfirmed = true
      marks.confirmed.append(release)
    }
  }
}

/// A held job that may be released.
private enum Candidate {
  case ready(ReadyJob)
  /// It is held for the queue of its kind.
  case waiting(WithheldJob, JobQueue)

  var standing: Standing {
    switch self {
    case .ready(let job): job.standing
    case .waiting(let job, _): job.standing
    }
  }
}

extension Job {
  /// Whether its first attempt had to begin by now.
  fileprivate func isTooLate(at now: Timestamp) -> Bool {
    guard let startBy, !progress.hasBegun else { return false }
    return startBy <= now
  }
}
