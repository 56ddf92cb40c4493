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
    // Also what was cancelled and did not stop.
    let hadOthers = inHand.contains { released[$0.job]?.release != $0 }
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
  func holdSuspect(_ job: LiveJob, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]) throws {
    try transaction.save(job.progress, of: job.number, releasedAt: nil)
    _ = try transaction.withhold(job.number, .suspect)
    try giveUpPlace(of: job, for: .suspect, transaction)
    dropChange(of: job.release, because: "it may have ended workers, and waits for its turn", &outgoing)
    try carryOut(claims.superseded(job.release), transaction, &outgoing)
  }

  /// Releases the next one of each line whose turn it is.
  func releaseSuspects(_ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]) throws {
    for (department, desk) in desks where desk.suspects > 0 && !isBeingCleared(department) {
      guard configuration.departments[department] != nil, desk.hasRoomForSuspect,
        suspects.mayRelease(from: department, servedBy: workers(of: department)),
        let job = try nextSuspect(of: department, transaction)
      else { continue }
      if route(of: job.job.kind, in: department) == .nowhere {
        let (number, kind, priority) = (job.job.number, job.job.kind, job.job.priority)
        try withhold(number, kind, in: department, priority, from: .suspect, transaction)
        // The next one of the line may go.
        chores.isToFill = true
        continue
      }
      guard let slot = self[desk: department].takeSuspect(job.job.priority) else { continue }
      try release(job, slot, transaction, &outgoing)
    }
  }

  /// In an ordered department nothing overtakes what comes first, a suspect neither.
  private func nextSuspect(of department: Department, _ transaction: LedgerTransaction) throws -> HeldJob? {
    guard self[desk: department].isOrdered else { return try transaction.nextSuspect(of: department) }
    let first = try transaction.firstInOrder(of: department)
    return first?.job.hold == .suspect ? first : nil
  }

  /// Those that are released and unfinished, and what they wait for.
  var suspects: Suspects {
    var suspects = Suspects()
    for job in releasedAfterDeath { put(job, in: &suspects) }
    return suspects
  }

  private func put(_ job: LiveJob, in suspects: inout Suspects) {
    if job.progress.isSuspect { return suspects.put(job.id, of: job.department, job.suspectPlace) }
    suspects.put(company: job.id, of: job.department, servedBy: workers(of: job.department), job.suspectPlace)
  }

  /// A suspect does not wait for ever for one that was running at a single death.
  private var releasedAfterDeath: [LiveJob] {
    let limit = SessionClock.now - Bookkeeper.companyLimit
    return released.afterDeath.compactMap { released[$0] }.filter { $0.progress.isSuspect || $0.since > limit }
  }

  /// How long a suspect waits for a job that was running at one death, from the release of that one on. After that a death
  /// beside it may be charged to nobody.
  static let companyLimit: Duration = .seconds(600)

  /// What a suspect of the department waits for; none: for room.
  func suspectsAhead(in department: Department) -> [JobID] {
    let workers = workers(of: department)
    return releasedAfterDeath.filter { job in
      var alone = Suspects()
      put(job, in: &alone)
      return !alone.mayRelease(from: department, servedBy: workers)
    }.map(\.id).sorted { $0.description < $1.description }
  }

  private func workers(of department: Department) -> Set<WorkerID> {
    Set(attendance.workers.filter { $0.value.tellers[department.name] ?? 0 > 0 }.keys)
  }
}

extension LiveJob {
  /// What is about to be taken back from a dead worker is about to be in its queue again.
  fileprivate var suspectPlace: Suspects.Place {
    progress.wasStarted && progress.blame == nil ? .started(on: run?.worker) : .queued
  }
}
