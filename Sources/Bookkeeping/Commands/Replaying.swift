import Decisions
import JobModel
import Ledger

/// Failed jobs: submitted again, or taken off the list of those that somebody has to look after.
struct Replaying {
  let configuration: CoordinatorConfiguration
  let departments: Departments
  let accepting: Accepting
  let time: LedgerTime

  /// Submits the named jobs again, those that failed and were not submitted again before.
  func replay(_ ids: [JobID], _ turn: Turn) throws -> JobChanges {
    var changes = JobChanges(replays: [])
    try forEachFailed(ids, &changes, turn) { job, changes in
      guard let replay = try replay(job, turn) else { return changes.leave(job.id, .noDepartment) }
      changes.changed.append(job.id)
      changes.newJobs?.append(replay)
    }
    return changes
  }

  func drop(_ ids: [JobID], _ turn: Turn) throws -> JobChanges {
    var changes = JobChanges()
    try forEachFailed(ids, &changes, turn) { job, changes in
      _ = try settle(job, .dropped, turn)
      changes.changed.append(job.id)
    }
    return changes
  }

  /// Does something with each of the named jobs that failed, and that nobody has looked after; the changes say why
  /// others are left alone.
  private func forEachFailed(
    _ ids: [JobID], _ changes: inout JobChanges, _ turn: Turn,
    _ body: (Job, inout JobChanges) throws -> Void
  ) throws {
    for id in ids {
      let job = try turn.ledger.job(id)
      if let job, job.reasonNotToReplay == nil {
        try body(job, &changes)
      } else {
        let reason = job?.reasonNotToReplay
        changes.leave(id, reason?.word ?? .unknown, replay: reason?.replay)
      }
    }
  }

  /// Submits a failed job again. The new job's id follows from the old one's, so that it happens once, however often it
  /// is asked for; it begins with its first attempt, and nobody is answered.
  ///
  /// - Returns: the new job's id; nil when its department is gone.
  func replay(_ job: Job, _ turn: Turn) throws -> JobID? {
    guard let settings = configuration.departments[job.department],
      let content = try turn.ledger.content(of: job.number)
    else { return nil }
    let (id, now) = (JobID(replayOf: job.id), time.now)
    let again = Job(
      number: 0, id: id, kind: job.kind, department: job.department, priority: job.priority,
      progress: JobProgress(maxAttempts: job.progress.saidAttempts),
      startBy: configuration.settings(of: job.kind).startWithin.map { now + $0 }, timeout: job.timeout, againOf: job.id,
      acceptedAt: now)
    var new = NewJob(again, content: content, levelWorth: configuration.priorityWorth)
    if settings.isOrdered { new.order = OrderPlace(plan: nil, rank: 0, position: 0) }
    try accepting.accept(new, turn)
    _ = try settle(job, .replayed(id), turn)
    return id
  }

  /// Records what became of a failed job.
  ///
  /// - Returns: Whether nothing was recorded before.
  func settle(_ job: Job, _ settlement: Settlement, _ turn: Turn) throws -> Bool {
    guard try turn.ledger.settle(job.number, settlement) else { return false }
    departments.countUnsettled(-1, in: job.department)
    return true
  }
}

extension Job {
  /// Why a job is not submitted again: it has not failed, or somebody has looked after it.
  fileprivate var reasonNotToReplay: (word: JobChanges.Reason, replay: JobID?)? {
    guard progress.state == .failed else { return (.notFailed, nil) }
    switch settlement {
    case .replayed(let replay): return (.replayed, replay)
    case .dropped: return (.dropped, nil)
    case .handled: return (.handled, nil)
    case nil: return nil
    }
  }
}

extension JobChanges {
  fileprivate mutating func leave(_ job: JobID, _ reason: JobChanges.Reason, replay: JobID? = nil) {
    unchanged.append(Unchanged(job: job, reason: reason, replay: replay))
  }
}
