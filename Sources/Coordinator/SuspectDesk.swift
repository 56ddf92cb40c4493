import Decisions
import JobModel
import Ledger
import Logging

/// Jobs that were running when workers died: what each death says of them, and which of those that may have been the
/// cause is released.
extension Bookkeeper {
  /// Notes with each job that a dead worker is known to have been running what its death says of it. What is done about
  /// that is decided for each job alone, when it is certain that nobody runs it.
  func noteDeath(of worker: WorkerID, _ entry: Attendance.Entry, inHand: Set<ReleaseID>) {
    // One that was granted to it a moment before its death it could not list any more.
    let jobs = released.values.filter { job in
      inHand.contains(job.release) || job.run?.worker == worker && job.progress.wasStarted
    }
    let running = Dictionary(uniqueKeysWithValues: jobs.map { ($0.id, $0.progress.deaths) })
    // What was cancelled and did not stop. What it listed and has reported since was at an end.
    let hadOthers = inHand.contains { voids.contains($0) && released[$0.job]?.release != $0 }
    let death = Death(of: running, tellers: entry.tellers.values.reduce(0, +), hadOthers: hadOthers)
    for job in jobs { released[job.id]?.progress.blame = death.blame(on: job.id) }
    logger.warning(
      "worker silent for its lease: what it ran is taken back",
      metadata: [
        "name": "\(entry.name)", "running": "\(jobs.count)", "suspects": "\(jobs.count { $0.progress.isSuspect })",
        "charged": "\(death.culprit?.description ?? "none")",
      ])
  }

  /// A suspect gives its place to others, and waits in the line of its department.
  func holdSuspect(_ job: LiveJob, _ turn: Turn) throws {
    try turn.ledger.save(job.progress, of: job.number, releasedAt: nil)
    _ = try turn.ledger.withhold(job.number, .suspect)
    try giveUpPlace(of: job, for: .suspect, turn)
    dropChange(of: job.release, because: "it may have ended workers, and waits for its turn", turn)
    try carryOut(claims.superseded(job.release), turn)
  }

  /// Releases the next one of each line whose turn it is.
  func releaseSuspects(_ turn: Turn) throws {
    patience.retain { desks[$0].map { $0.suspects > 0 } ?? false }
    for (department, desk) in desks where desk.suspects > 0 && !isBeingCleared(department) {
      guard configuration.departments[department] != nil, desk.hasRoomForSuspect else {
        patience.pause(for: department)
        continue
      }
      guard isTurn(of: department), let job = try nextSuspect(of: department, turn) else { continue }
      if route(of: job.job.kind, in: department) == .nowhere {
        let (number, kind, priority) = (job.job.number, job.job.kind, job.job.priority)
        try withhold(number, kind, in: department, priority, from: .suspect, turn)
        // The next one of the line may go.
        chores.isToFill = true
        continue
      }
      guard let slot = self[desk: department].takeSuspect(job.job.priority) else { continue }
      try release(job, slot, turn)
    }
  }

  /// Whether the next one of the line may be released; it does not wait for ever for what was running at a single death.
  private func isTurn(of department: Department) -> Bool {
    let obstacle = suspects.obstacle(to: department, servedBy: workers(of: department))
    return patience.ends(for: department, obstacle, at: SessionClock.now)
  }

  /// In an ordered department nothing overtakes what comes first, a suspect neither.
  private func nextSuspect(of department: Department, _ turn: Turn) throws -> HeldJob? {
    guard self[desk: department].isOrdered else { return try turn.ledger.nextSuspect(of: department) }
    let first = try turn.ledger.firstInOrder(of: department)
    return first?.job.hold == .suspect ? first : nil
  }

  /// Those that are released and unfinished, and what they wait for.
  var suspects: Suspects {
    var suspects = Suspects()
    var servers: [Department: Set<WorkerID>] = [:]
    for job in releasedAfterDeath {
      let workers = servers[job.department] ?? workers(of: job.department)
      servers[job.department] = workers
      suspects.put(job, servedBy: workers)
    }
    return suspects
  }

  private var releasedAfterDeath: [LiveJob] {
    let limit = SessionClock.now - patience.limit
    return released.afterDeath.compactMap { released[$0] }.filter { $0.progress.isSuspect || $0.since > limit }
  }

  /// What a suspect of the department waits for; none: for room.
  func suspectsAhead(in department: Department) -> [JobID] {
    let workers = workers(of: department)
    return releasedAfterDeath.filter { job in
      var alone = Suspects()
      alone.put(job, servedBy: self.workers(of: job.department))
      return alone.obstacle(to: department, servedBy: workers) != nil
    }.map(\.id).sorted { $0.description < $1.description }
  }

  private func workers(of department: Department) -> Set<WorkerID> {
    Set(attendance.workers.filter { $0.value.tellers[department.name] ?? 0 > 0 }.keys)
  }
}

extension Suspects {
  fileprivate mutating func put(_ job: LiveJob, servedBy workers: Set<WorkerID>) {
    if job.progress.isSuspect { return put(job.id, of: job.department, job.suspectPlace) }
    put(company: job.id, of: job.department, servedBy: workers, job.suspectPlace)
  }
}

extension LiveJob {
  /// What is about to be taken back from a dead worker is about to be in its queue again.
  fileprivate var suspectPlace: Suspects.Place {
    progress.wasStarted && progress.blame == nil ? .started(on: run?.worker) : .queued
  }
}
