import AMQP
public import JobModel
import JobTransport

extension TellerClient {
  /// Submits a job for a handler, and returns once the broker has it safely. For a job that is held until a time or until
  /// others have ended, or that has limits or a key, see ``JobSubmission``.
  ///
  /// While the submission queue is full it waits and tries again, and so it does when the broker is lost: always with
  /// the same id, so that it remains one job.
  ///
  /// - Parameters:
  ///   - handler: The type whose `run` does the job, in some worker.
  ///   - payload: What it is given.
  ///   - department: Where it is served; nil: as the coordinator's `teller.yaml` says of the kind, else the department of
  ///     the kind's name.
  ///   - priority: How urgent it is.
  ///   - attempts: How often it is tried; nil: as the coordinator's `teller.yaml` says, else three times.
  ///   - id: The job's id; the same id is the same job, however often it is submitted.
  /// - Returns: What to wait on for the outcome.
  /// - Throws: ``TellerError`` when it could not be submitted within the limit; `EncodingError`; `CancellationError`. Only
  ///   an error that says that it is invalid or too large means for sure that it was not submitted.
  public func submit<Handler: JobHandler>(
    _ handler: Handler.Type, _ payload: Handler.Payload, department: Department? = nil, priority: Priority = .normal,
    attempts: Int? = nil, id: JobID = JobID()
  ) async throws -> JobHandle<Handler.Output> {
    try await submit(
      try JobSubmission(handler, payload, department: department, priority: priority, attempts: attempts, id: id))
  }

  /// Submits a job, and returns once the broker has it safely. See ``submit(_:_:department:priority:attempts:id:)``.
  ///
  /// - Returns: What to wait on for the outcome.
  /// - Throws: ``TellerError`` when it could not be submitted within the limit; `CancellationError`.
  public func submit<Output>(_ submission: JobSubmission<Output>) async throws -> JobHandle<Output> {
    let handles = try await submit(contentsOf: [submission])
    return handles[0]
  }

  /// Submits jobs in the given order, and returns once the broker has them all safely. Much faster than one by one.
  ///
  /// - Returns: What to wait on for their outcomes, in the same order.
  /// - Throws: ``TellerError/incomplete(submitted:of:reason:)`` when only the first ones are known to be submitted; it is
  ///   safe to submit all of them again. Nothing is submitted when one of them is invalid.
  public func submit<Output>(contentsOf submissions: [JobSubmission<Output>]) async throws -> [JobHandle<Output>] {
    let packs = SubmissionPacks.write(try submissions.map { try $0.submission(replyQueue: core.replyQueue) })
    // Before the first one is sent: an answer may be quicker than the broker's confirm.
    let handles = submissions.map { JobHandle<Output>(job: core.jobs.job($0.id), client: self) }
    for handle in handles { handle.job.beginSubmitting() }
    try await core.submit(packs)
    return handles
  }

  /// Submits a plan as a whole, and returns once the broker has it safely.
  ///
  /// - Parameters:
  ///   - plan: The plan, for an ordered department.
  ///   - id: The plan's id; the ids of its jobs follow from it.
  /// - Returns: What to wait on for its outcome.
  /// - Throws: ``TellerError`` when it could not be submitted within the limit, or is not valid; `CancellationError`.
  public func submit(_ plan: Plan, id: JobID = JobID()) async throws -> PlanHandle {
    let message: Publishing
    do {
      message = try SubmissionCodec.encode(try plan.submission(id: id, replyQueue: core.replyQueue))
    } catch {
      throw TellerError.invalid(reason: error.message)
    }
    if message.body.count > SubmissionCodec.defaultBodyLimit {
      throw TellerError.payloadTooLarge(bytes: message.body.count, limit: SubmissionCodec.defaultBodyLimit)
    }
    let handle = PlanHandle(steps: plan.steps.map(\.name), job: core.jobs.job(id), client: self)
    handle.job.beginSubmitting()
    try await core.submit([SubmissionPacks.Pack(message)])
    return handle
  }

  /// A job that was submitted before, perhaps by somebody else.
  ///
  /// The coordinator is asked about it when somebody waits for it, which takes some seconds.
  ///
  /// - Parameters:
  ///   - id: The job's id.
  ///   - output: What its result is read as.
  /// - Returns: What to wait on; nothing is asked yet.
  public func job<Output>(_ id: JobID, as output: Output.Type = JSONValue.self) -> JobHandle<Output> {
    let job = core.jobs.job(id)
    job.markOverdue()
    return JobHandle(job: job, client: self)
  }
}
