import Decisions
import JobModel
import Ledger

extension Bookkeeper {
  /// The most jobs, and bytes of payload, that one turn releases of what is held, in all departments together.
  static let fillLimit = 256
  static let fillBytes = 2 * 1024 * 1024

  /// Releases held jobs into every window that has room, up to a turn's limit; the rest is for ``fillMore()``.
  func fill(_ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]) throws {
    // Whoever empties the outbox calls again.
    guard outbox.hasRoom, filled.hasRoom, !isQuiet else { return }
    try releaseSuspects(transaction, &outgoing)
    let departments = departmentsToFill()
    var previous = lastFilled
    for department in departments {
      let wasEnough =
        self[desk: department].isOrdered
        ? try releaseNextInOrder(of: department, transaction, &outgoing)
        : try releaseByStanding(of: department, transaction, &outgoing)
      if wasEnough { unfilled.remove(department) }
      guard filled.hasRoom else {
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
    try turn { transaction, outgoing in try fill(transaction, &outgoing) }
  }

  /// Whether the window is now as full as it can be.
  private func releaseByStanding(
    of department: Department, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws -> Bool {
    guard configuration.departments[department] != nil else { return true }
    var isToRepeat = true
    while isToRepeat {
      isToRepeat = false
      for candidate in try candidates(of: department, transaction) {
        guard filled.hasRoom else { return false }
        switch candidate {
        case .ready(let job):
          if try release(job, of: department, transaction, &outgoing) { isToRepeat = true }
        case .waiting(let job, let queue):
          if try release(job, to: queue, transaction, &outgoing) { isToRepeat = true }
        }
      }
    }
    // With the last candidate the turn may have had its limit.
    return filled.hasRoom && !self[desk: department].hasRoomForReady
  }

  /// - Returns: Whether others may fit all the same: it took no place.
  private func release(
    _ ready: ReadyJob, of department: Department, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws -> Bool {
    // Only what fits is read with its payload.
    guard self[desk: department].room(for: ready.priority) > 0, let job = try transaction.held(ready.number)
    else { return false }
    let kind = job.job.kind
    let route = route(of: kind, in: department)
    let isSharing = mayShare(kind, in: department, by: route)
    if route != .nowhere, let slot = self[desk: department].takeReady(ready.priority, fromShared: isSharing) {
      try release(job, slot, transaction, &outgoing)
      return false
    }
    try withhold(job.job.number, kind, in: department, job.job.priority, transaction)
    filled.add(0)
    // Nothing is told of it, so that nobody would call again.
    chores.isToFill = true
    return true
  }

  /// What may be released, by standing.
  private func candidates(of department: Department, _ transaction: LedgerTransaction) throws -> [Candidate] {
    let ready = try readyJobs(of: department, transaction).map { Candidate.ready($0) }
    let waiting = try waitingJobs(of: department, transaction).map { Candidate.waiting($0.job, $0.queue) }
    return waiting.isEmpty ? ready : (ready + waiting).sorted { $0.standing < $1.standing }
  }

  /// The ready jobs that may fit, by standing: of each level as many as its room allows.
  private func readyJobs(of department: Department, _ transaction: LedgerTransaction) throws -> [ReadyJob] {
    guard self[desk: department].hasRoomForReady else { return [] }
    var candidates: [ReadyJob] = []
    for level in Priority.levels {
      guard let priority = Priority(level) else { continue }
      let count = min(self[desk: department].room(for: priority), Bookkeeper.fillLimit)
      guard count > 0 else { continue }
      candidates += try transaction.ready(in: department, priority: priority, limit: count)
    }
    return candidates.sorted { $0.standing < $1.standing }
  }

  /// An ordered department releases one job at a time: the first that is not finished. One that is to be tried again
  /// later keeps all behind it waiting.
  private func releaseNextInOrder(
    of department: Department, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws -> Bool {
    guard self[desk: department].window.inUse == 0, self[desk: department].readyCount > 0,
      !self[desk: department].isPaused, let job = try transaction.firstInOrder(of: department),
      job.job.hold == .room
    else { return true }
    if route(of: job.job.kind, in: department) == .nowhere {
      try withhold(job.job.number, job.job.kind, in: department, job.job.priority, transaction)
      return true
    }
    guard let slot = self[desk: department].takeReady(job.job.priority) else { return true }
    try release(job, slot, transaction, &outgoing)
    // If it came too late, the next one may go.
    return released[job.job.id] != nil
  }

  func release(
    _ job: HeldJob, _ slot: Window.Slot, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    let now = self.now
    if job.job.isTooLate(at: now) { return try endTooLate(job.job, slot, transaction, &outgoing) }
    var entry = LiveJob(
      job.job, standing: job.standing, slot, releasedAt: now,
      releasePriority: releasePriority(job.job.priority, job.standing, at: now))
    entry.progress.lastTaken = JobProgress.lastNumber(before: epoch)
    _ = entry.progress.apply(.lifted)
    try setQueue(of: &entry, transaction, &outgoing)
    try transaction.save(entry.progress, of: entry.number, releasedAt: entry.releasedAt, isBeside: entry.isBeside)
    released[entry.id] = entry
    filled.add(job.content.payload.count)
    outgoing.append(.assignment(entry.assignment(of: ledger.id, epoch: epoch, job.content)))
  }

  /// Its time to start has passed while it was held, or while no coordinator ran: it gives its place back, and ends.
  private func endTooLate(
    _ job: Job, _ slot: Window.Slot, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    self[desk: job.department].give(slot, job.priority)
    self[desk: job.department].hold(job.hold, job.priority)
    filled.add(0)
    chores.isToFill = true
    try end(job, .failed(.tooLate()), transaction, &outgoing)
  }

  /// Releases again what has been released before: an attempt that failed or was interrupted. Its place is kept. What
  /// is too much for one turn is published by the chores.
  func releaseAgain(
    _ entry: LiveJob, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    let route = route(of: entry.kind, in: entry.department)
    // What has a place beside already takes no further one there.
    let isFull = !entry.isBeside && entry.slot == .shared && !mayShare(entry.kind, in: entry.department, by: route)
    if route == .nowhere || isFull { return try holdForHandler(entry, transaction) }
    var entry = entry
    entry.releasedAt = now
    entry.since = SessionClock.now
    entry.isReturned = false
    entry.isConfirmed = false
    entry.adoptedBy = nil
    entry.run = nil
    entry.isLevelKnown = true
    entry.releasePriority = releasePriority(entry.priority, entry.standing, at: entry.releasedAt)
    try setQueue(of: &entry, transaction, &outgoing)
    try transaction.save(entry.progress, of: entry.number, releasedAt: entry.releasedAt, isBeside: entry.isBeside)
    released[entry.id] = entry
    guard releasedAgain.hasRoom else { return chores.unpublished.append(entry.release) }
    guard let content = try transaction.content(of: entry.number) else { return }
    releasedAgain.add(content.payload.count)
    outgoing.append(.assignment(entry.assignment(of: ledger.id, epoch: epoch, content)))
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

/// What one turn has released so far of what was held.
struct Filled: Sendable {
  private var count = 0
  private var bytes = 0

  var hasRoom: Bool { count < Bookkeeper.fillLimit && bytes < Bookkeeper.fillBytes }

  mutating func add(_ size: Int) {
    count += 1
    bytes += size
  }
}

extension Job {
  /// Whether its first attempt had to begin by now.
  fileprivate func isTooLate(at now: Timestamp) -> Bool {
    guard let startBy, !progress.hasBegun else { return false }
    return startBy <= now
  }
}
