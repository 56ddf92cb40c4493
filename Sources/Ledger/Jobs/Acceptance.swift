import GRDB
package import JobModel

extension LedgerTransaction {
  /// A larger payload is kept beside its job's row, in bytes.
  static let inlinePayload = 2_048

  /// Records a job under the next acceptance number, unless there is one of its id: then nothing changes, and that one
  /// is returned as it stands.
  package func accept(_ job: NewJob) throws -> Acceptance {
    guard !job.progress.state.isFinal else {
      throw LedgerError.failed("job \(job.id) cannot be accepted as \(job.progress.state): it has not been run")
    }
    guard job.progress.state == .held || (job.notBefore == nil && job.dependencies.isEmpty) else {
      throw LedgerError.failed("job \(job.id) cannot be accepted as queued: it has to wait")
    }
    let number = try nextNumber()
    guard try insert(job, number) else {
      guard let known = try self.job(job.id) else { throw Damage(what: "job \(job.id) is there and cannot be found") }
      return .known(known)
    }
    useNumber(number)
    if !job.dependencies.isEmpty { try insertDependencies(of: job, number) }
    if job.payload.count > Self.inlinePayload {
      try statements.run("INSERT INTO payload (job, bytes) VALUES (?, ?)", number, job.payload)
    }
    return .new(number: number)
  }

  private func insert(_ job: NewJob, _ number: Int64) throws -> Bool {
    let order = job.order?.key(number: number)
    let payload = job.payload.count > Self.inlinePayload ? nil : job.payload
    let progress = job.progress
    let changed = try statements[.insertJob].run { values in
      values.add(number, job.id, job.kind, job.department)
      values.add(job.priority, progress.state, progress.attempt, progress.maxAttempts)
      values.add(progress.release, progress.token, job.standing, order?.plan)
      values.add(order?.rank, order?.position, job.plan, job.step)
      values.add(job.reply?.replyTo, job.reply?.correlationID, job.reply?.wait, job.submittedAt)
      values.add(job.acceptedAt, job.releasedAt, job.trace.traceparent, job.trace.tracestate)
      values.add(job.contentType, payload, job.notBefore, job.openTargets.count)
      values.add(job.startBy, job.timeout?.milliseconds, job.key, job.againOf)
      values.add(job.isByClock)
    }
    return changed == 1
  }

  /// Answers the job's outcome there from now on; nil: nowhere. For a submission that came again from somebody else.
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
}

extension HotStatement {
  static let insertJob = HotStatement(
    """
    INSERT INTO job (
      number, id, kind, department, priority, state, attempt, max_attempts, release, token, standing,
      order_plan, order_rank, order_position, plan, step, reply_to, reply_correlation, reply_wait,
      submitted_at, accepted_at, released_at, trace_parent, trace_state, content_type, payload,
      not_before, open_dependencies, start_by, timeout_ms, key, again_of, by_clock)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING
    """)
}
