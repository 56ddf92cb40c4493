public import JobModel
import JobTransport

extension TellerClient {
  /// Submits a job for a handler, and returns once the broker has it safely, or the coordinator.
  ///
  /// A job may also be held for a time or for other jobs, and may have limits or a key: see ``JobSubmission``.
  ///
  /// While the submission queue is full or the broker is away, the client waits and sends the job again, by the same
  /// id.
  ///
  /// - Parameters:
  ///   - handler: The type whose `run` does the job, in some worker.
  ///   - payload: The input of `run`.
  ///   - department: Where the job is served; nil: as the coordinator's `teller.yaml` says of the kind, else the
  ///     department of the kind's name.
  ///   - priority: How urgent the job is.
  ///   - attempts: How often the job is tried; nil: as the coordinator's `teller.yaml` says, else the handler's
  ///     ``HandlerPolicy``, else three times.
  ///   - id: The job's id. The same id is the same job, however often it is submitted.
  /// - Returns: A handle, to wait for the outcome with.
  /// - Throws: ``TellerError`` when the broker has not confirmed the job within ``ClientTimeouts/submit``;
  ///   `EncodingError`; `CancellationError`. The job may be submitted all the same, except after
  ///   ``TellerError/invalid(reason:)``, ``TellerError/payloadTooLarge(bytes:limit:)``,
  ///   ``TellerError/messageRefused(reason:)`` and `EncodingError`.
  @discardableResult
  public func submit<Handler: JobHandler>(
    _ handler: Handler.Type, _ payload: Handler.Payload, department: Department? = nil, priority: Priority = .normal,
    attempts: Int? = nil, id: JobID = JobID()
  ) async throws -> JobHandle<Handler.Output> {
    try await submit(
      try JobSubmission(handler, payload, department: department, priority: priority, attempts: attempts, id: id))
  }

  /// Submits a job, and returns once the broker has it safely, or the coordinator. See ``submit(_:_:department:priority:attempts:id:)``.
  ///
  /// - Returns: A handle, to wait for the outcome with.
  /// - Throws: ``TellerError`` when the broker has not confirmed the job within ``ClientTimeouts/submit``;
  ///   `CancellationError`.
  @discardableResult
  public func submit<Output>(_ submission: JobSubmission<Output>) async throws -> JobHandle<Output> {
    let handles = try await submit(contentsOf: [submission])
    return handles[0]
  }

  /// Submits jobs in the given order, and returns once the broker has them all safely. Much faster than one by one.
  ///
  /// - Returns: A handle of each job, in the same order.
  ///
  /// A submission whose id this client has used before with another payload, kind or key is not sent, and every wait of its
  /// handle throws ``JobError/rejected(_:_:)`` with the code `id_conflict`.
  ///
  /// - Throws: ``TellerError/incomplete(submitted:of:reason:)`` when only the first jobs are known to be submitted; it is
  ///   safe to submit all of them again. No job is submitted when one of them is invalid.
  @discardableResult
  public func submit<Output>(contentsOf submissions: [JobSubmission<Output>]) async throws -> [JobHandle<Output>] {
    let kind = submissions.first?.kind.name ?? ""
    let id = submissions.count == 1 ? submissions.first?.id : nil
    return try await SubmissionTracing.run(kind, count: submissions.count, job: id) { headers in
      var written = try submissions.map { try $0.submission(replyQueue: core.replyQueue, ofTracer: headers) }
      // Before the first message is sent: a reply may be quicker than the broker's confirm.
      let handles = written.map { handle(of: $0) as JobHandle<Output> }
      if handles.contains(where: \.isConflict) { written = zip(written, handles).filter { !$1.isConflict }.map(\.0) }
      for (submission, handle) in zip(submissions, handles) where !handle.isConflict {
        let key = submission.key.map { SharedName.key(JobKey(kind: submission.kind, key: $0)) }
        handle.job.beginSubmitting(toldOf: submission.replies.last, under: key)
      }
      if written.isEmpty { return handles }
      if written.count == 1 {
        try await core.submit(written[0])
      } else {
        try await core.submit(SubmissionPacks.write(written))
      }
      return handles
    }
  }

  private func handle<Output>(of submission: Submission) -> JobHandle<Output> {
    let job = core.jobs.job(submission.id)
    return JobHandle(job: job, client: self, isConflict: !job.takes(submission.contentNumber))
  }

  /// A handle of a job that was submitted before, perhaps by another program.
  ///
  /// While a task waits for the job, the coordinator is asked about it all the time.
  ///
  /// - Parameters:
  ///   - id: The job's id.
  ///   - output: The type that its result is read as.
  /// - Returns: The handle; nothing is asked yet.
  public func handle<Output>(of id: JobID, as output: Output.Type = JSONValue.self) -> JobHandle<Output> {
    JobHandle(job: core.jobs.job(id), client: self)
  }
}

extension Submission {
  /// Tells its content from any other, in this process: what a job's id stands for.
  fileprivate var contentNumber: Int {
    var hasher = Hasher()
    hasher.combine(kind)
    content.payload.withUnsafeBytes { hasher.combine(bytes: $0) }
    for byte in (key?.text ?? "").utf8 { hasher.combine(byte) }
    return hasher.finalize()
  }
}

extension JobFailure {
  static func idConflict(_ id: JobID) -> JobFailure {
    JobFailure(
      code: Code.idConflict,
      message: """
        the id \(id) was used by this client before, with another kind, payload or key: submit this one with an id of its \
        own
        """)
  }
}

extension JobSubmission.Replies {
  /// The last stage of the job with a reply.
  fileprivate var last: TrackedJob.Stage? {
    switch self {
    case .none: nil
    case .acceptance: .acceptance
    case .outcome: .outcome
    }
  }
}
