package import JobModel

extension LedgerTransaction {
  /// Records the outcome of a job, and the notification of it. If the job has an outcome, nothing changes, and the
  /// notification of that outcome is returned.
  ///
  /// `startedAt` is when the attempt that ended the job was started, by this machine's clock; nil: the job never ran. `ran`
  /// is how long its handler ran, and is kept in microseconds. That attempt needs a record only if there is more to say
  /// of it than `outcome` says. `job` is not looked up: it is what the caller knows of the job.
  package func finish(
    _ number: Int64, _ progress: JobProgress, _ outcome: Outcome, startedAt: Timestamp?, finishedAt: Timestamp,
    ran: Duration?, by worker: WorkerID?, attempt: AttemptRecord? = nil, of job: JobIdentity
  ) throws -> Notification {
    let ending = Ending(outcome: outcome, startedAt: startedAt, finishedAt: finishedAt, ran: ran, worker: worker)
    guard try end(number, progress, ending) else { return try toldOutcome(of: number) }
    if let attempt { try record(attempt, of: number) }
    countEnded(job.department, outcome.state)
    let told = try notify(outcome.state.rawValue, about: .job(job.id), at: finishedAt)
    return Notification(
      seq: told.number, job: job.id, kind: job.kind, department: job.department, event: told.event,
      attempt: progress.attempt, at: finishedAt,
      startedAgoMs: startedAt.map { finishedAt.milliseconds(since: $0) }, runMs: ran?.milliseconds,
      error: outcome.failure, plan: job.step == nil ? nil : try planName(ofStep: number), name: job.step, key: job.key)
  }

  /// The name of the plan whose step a job is; nil: the plan has none.
  private func planName(ofStep number: Int64) throws -> PlanName? {
    try statements.first(
      "SELECT plan.name FROM job JOIN plan ON plan.id = job.plan WHERE job.number = ? AND plan.name IS NOT NULL", number
    )
  }

  private struct Ending {
    var outcome: Outcome
    var startedAt: Timestamp?
    var finishedAt: Timestamp
    var ran: Duration?
    var worker: WorkerID?
  }

  /// Writes the outcome, and the number of its notification.
  ///
  /// - Returns: False when the job has an outcome, or there is no such job.
  private func end(_ number: Int64, _ progress: JobProgress, _ ending: Ending) throws -> Bool {
    let seq = try nextNotification().number
    let outcome = OutcomeCells(ending.outcome)
    return try statements[.endJob].run { row in
      row.bind(.number, number)
      row.bind(.state, ending.outcome.state)
      row.bind(.attempt, progress.attempt)
      row.bind(.release, progress.release)
      row.bind(.token, progress.token)
      row.bind(.deaths, progress.deaths)
      row.bind(.startedAt, ending.startedAt)
      row.bind(.finishedAt, ending.finishedAt)
      row.bind(.ranUs, ending.ran?.microseconds)
      row.bind(.worker, ending.worker)
      row.bind(.errorCode, outcome.code)
      row.bind(.errorMessage, outcome.message)
      row.bind(.resultType, outcome.contentType)
      row.bind(.result, outcome.result)
      row.bind(.seq, seq)
    } == 1
  }

  /// Records what became of a failed job. The first settlement stays, so that a job is replayed once.
  ///
  /// - Returns: Whether it was recorded. It was not if the job has not failed, or somebody has looked after it before.
  package func settle(_ number: Int64, _ settlement: Settlement) throws -> Bool {
    let (code, replay): (Int, JobID?) =
      switch settlement {
      case .replayed(let job): (SettlementCode.replayed, job)
      case .dropped: (SettlementCode.dropped, nil)
      case .handled: (SettlementCode.handled, nil)
      }
    return try statements.run(
      "UPDATE job SET settlement = ?, replayed_as = ? WHERE number = ? AND state = 3 AND settlement IS NULL",
      code, replay, number) == 1
  }
}

extension HotStatement {
  static let endJob = HotStatement(
    """
    UPDATE job SET
    \(JobColumn.assignments([
      .state, .attempt, .release, .token, .deaths, .startedAt, .finishedAt, .ranUs, .worker,
      .errorCode, .errorMessage, .resultType, .result, .seq,
    ]))
    WHERE number = \(JobColumn.number.parameter) AND state < 2
    """)
}
