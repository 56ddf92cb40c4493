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
    guard configuration.departments[department] != nil, self[desk: department].hasRoomForReady else { return true }
    for candidate in try candidates(of: department, transaction) {
      guard filled.hasRoom else { return false }
      // Only what fits is read with its payload.
      guard self[desk: department].room(for: candidate.priority) > 0, let job = try transaction.held(candidate.number)
      else { continue }
      if route(of: job.job.kind, in: department) == .nowhere {
        try withhold(job.job.number, job.job.kind, in: department, job.job.priority, transaction)
        filled.add(0)
        // Nothing is told of it, so that nobody would call again.
        chores.isToFill = true
        continue
      }
      guard let slot = self[desk: department].takeReady(candidate.priority) else { continue }
      try release(job, slot, transaction, &outgoing)
    }
    return !self[desk: department].hasRoomForReady
  }

  /// The ready jobs that may fit, by standing: of each level as many as its room allows.
  private func candidates(of department: Department, _ transaction: LedgerTransaction) throws -> [ReadyJob] {
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
    return true
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
    try end(job, .failed(.tooLate()), transaction, &outgoing)
  }

  /// Releases again what has been released before: an attempt that failed or was interrupted. Its place is kept. What
  /// is too much for one turn is published by the chores.
  func releaseAgain(
    _ entry: LiveJob, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    if route(of: entry.kind, in: entry.department) == .nowhere {
      return try holdForHandler(entry, transaction)
    }
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
    guard releasedAgain.hasRoom else { return chores.unpublished.append(entry.id) }
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
