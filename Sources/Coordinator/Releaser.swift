import JobModel
import Ledger

extension Bookkeeper {
  /// The most jobs, and bytes of payload, that one turn takes from the ledger for one department.
  static let fillLimit = 256
  static let fillBytes = 2 * 1024 * 1024

  /// Releases held jobs into every window that has room, up to a turn's limit; the rest is for ``fillMore()``.
  func fill(_ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]) throws {
    // Whoever empties the outbox calls again.
    guard outbox.hasRoom, !isQuiet else { return }
    try releaseSuspects(transaction, &outgoing)
    for department in unfilled where !isBeingCleared(department) {
      let wasEnough =
        self[desk: department].isOrdered
        ? try releaseNextInOrder(of: department, transaction, &outgoing)
        : try releaseByStanding(of: department, transaction, &outgoing)
      if wasEnough { unfilled.remove(department) }
    }
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
    var (count, bytes) = (0, 0)
    for candidate in try candidates(of: department, transaction) {
      guard count < Bookkeeper.fillLimit, bytes < Bookkeeper.fillBytes else { return false }
      // Only what fits is read with its payload.
      guard self[desk: department].room(for: candidate.priority) > 0, let job = try transaction.held(candidate.number),
        let slot = self[desk: department].takeReady(candidate.priority)
      else { continue }
      count += 1
      bytes += job.content.payload.count
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
      job.job.hold == .room, let slot = self[desk: department].takeReady(job.job.priority)
    else { return true }
    try release(job, slot, transaction, &outgoing)
    return true
  }

  func release(
    _ job: HeldJob, _ slot: Window.Slot, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    let now = Timestamp.now()
    if job.job.isTooLate(at: now) { return try endTooLate(job.job, slot, transaction, &outgoing) }
    var entry = LiveJob(
      job.job, standing: job.standing, slot, releasedAt: now,
      releasePriority: releasePriority(job.job.priority, job.standing, at: now))
    entry.progress.lastTaken = JobProgress.lastNumber(before: epoch)
    _ = entry.progress.apply(.lifted)
    try transaction.save(entry.progress, of: entry.number, releasedAt: entry.releasedAt)
    released[entry.id] = entry
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
    var entry = entry
    entry.releasedAt = .now()
    entry.isConfirmed = false
    entry.adoptedBy = nil
    entry.run = nil
    entry.isLevelKnown = true
    let priority = releasePriority(entry.priority, entry.standing, at: entry.releasedAt)
    entry.releasePriority = entry.isAged ? .highest : priority
    try transaction.save(entry.progress, of: entry.number, releasedAt: entry.releasedAt)
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

extension Job {
  /// Whether its first attempt had to begin by now.
  fileprivate func isTooLate(at now: Timestamp) -> Bool {
    guard let startBy, !progress.hasBegun else { return false }
    return startBy <= now
  }
}
