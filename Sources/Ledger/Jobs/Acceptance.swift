package import JobModel

extension LedgerTransaction {
  /// A payload of more bytes than this has a row of its own, beside its job's row.
  static let inlinePayload = 2_048

  /// Records a job under the next acceptance number. If the ledger has a job of that id, nothing changes, and that job
  /// is returned as it stands.
  ///
  /// - Throws: When the job has ended, or is queued although it has to wait.
  package func accept(_ new: NewJob) throws -> Acceptance<Job> {
    let job = new.job
    guard !job.progress.state.isFinal else {
      throw LedgerError.failed("job \(job.id) cannot be accepted as \(job.progress.state): it has not been run")
    }
    guard job.progress.state == .held || (job.notBefore == nil && new.dependencies.isEmpty) else {
      throw LedgerError.failed("job \(job.id) cannot be accepted as queued: it has to wait")
    }
    let number = try nextNumber()
    guard try insert(new, number) else {
      return .known(try known(self.job(job.id), "job \(job.id) is there and cannot be found"))
    }
    useNumber(number)
    if !new.dependencies.isEmpty { try insertDependencies(of: new, number) }
    if new.content.payload.count > Self.inlinePayload {
      try statements.run("INSERT INTO payload (job, bytes) VALUES (?, ?)", number, new.content.payload)
    }
    return .new(number: number)
  }

  /// - Returns: Whether the job is new.
  private func insert(_ new: NewJob, _ number: Int64) throws -> Bool {
    let (job, content) = (new.job(number: number), new.content)
    let payload = content.payload.count > Self.inlinePayload ? nil : content.payload
    let (order, progress) = (job.order, job.progress)
    return try statements[.insertJob].run { row in
      row.bind(.number, number)
      row.bind(.id, job.id)
      row.bind(.kind, job.kind)
      row.bind(.department, job.department)
      row.bind(.priority, job.priority)
      row.bind(.state, progress.state)
      row.bind(.attempt, progress.attempt)
      row.bind(.maxAttempts, progress.saidAttempts ?? 0)
      row.bind(.release, progress.release)
      row.bind(.token, progress.token)
      row.bind(.standing, new.standing)
      row.bind(.orderPlan, order?.plan)
      row.bind(.orderRank, order?.rank)
      row.bind(.orderPosition, order?.position)
      row.bind(.plan, job.plan)
      row.bind(.step, job.step)
      row.bind(.round, job.round)
      row.bind(.replyTo, job.reply?.replyTo)
      row.bind(.replyCorrelation, job.reply?.correlationID)
      row.bind(.replyWait, job.reply?.wait)
      row.bind(.submittedAt, job.submittedAt)
      row.bind(.acceptedAt, job.acceptedAt)
      row.bind(.releasedAt, job.releasedAt)
      row.bind(.traceParent, content.trace.traceparent)
      row.bind(.traceState, content.trace.tracestate)
      row.bind(.headers, HeadersText.text(content.headers))
      row.bind(.contentType, content.contentType)
      row.bind(.payload, payload)
      row.bind(.notBefore, job.notBefore)
      row.bind(.openDependencies, job.openDependencies)
      row.bind(.startBy, job.startBy)
      row.bind(.timeoutMs, job.timeout?.milliseconds)
      row.bind(.key, job.key)
      row.bind(.againOf, job.againOf)
      row.bind(.byClock, TimeCode.code(of: job))
    } == 1
  }

  /// What has an id, other than a job, in words for people; nil: nothing has.
  package func otherOwner(of id: JobID) throws -> String? {
    guard try hasOtherOwners() else { return nil }
    return switch try statements[.otherOwner].first({ $0.add(id) }, { try $0[0] as Int }) {
    case 1: "the run of a plan"
    case 2: "an event"
    default: nil
    }
  }

  /// From now on the job's outcome is told to that address; nil: to nobody. For a submission that somebody else
  /// repeats.
  package func replaceReply(of number: Int64, _ reply: ReplyAddress?) throws {
    let changed = try statements.run(
      "UPDATE job SET reply_to = ?, reply_correlation = ?, reply_wait = ? WHERE number = ?",
      reply?.replyTo, reply?.correlationID, reply?.wait, number)
    guard changed == 1 else { throw LedgerError.unknown(number) }
  }
}

extension LedgerError {
  static func unknown(_ number: Int64) -> LedgerError {
    .failed("job number \(number) is not in the ledger")
  }

  static func notLive(_ number: Int64) -> LedgerError {
    .failed("job number \(number) has its outcome already, or is not in the ledger")
  }
}

extension HotStatement {
  static let insertJob = HotStatement(
    """
    INSERT INTO job
    \(JobColumn.insertion([
      .number, .id, .kind, .department, .priority, .state, .attempt, .maxAttempts, .release, .token, .standing,
      .orderPlan, .orderRank, .orderPosition, .plan, .step, .round, .replyTo, .replyCorrelation, .replyWait, .submittedAt,
      .acceptedAt, .releasedAt, .traceParent, .traceState, .headers, .contentType, .payload, .notBefore, .openDependencies,
      .startBy, .timeoutMs, .key, .againOf, .byClock,
    ]))
    ON CONFLICT (id) DO NOTHING
    """)

  static let otherOwner = HotStatement(
    """
    SELECT CASE
      WHEN EXISTS (SELECT 1 FROM plan WHERE id = ?1) THEN 1
      WHEN EXISTS (SELECT 1 FROM event WHERE id = ?1) AND NOT EXISTS (SELECT 1 FROM job WHERE id = ?1) THEN 2
      ELSE 0 END
    """)
}
