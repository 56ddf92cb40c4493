import AMQP
public import JobModel
import JobTransport

extension TellerClient {
  /// Submits a plan as a whole, and returns once the broker has it safely.
  ///
  /// - Parameters:
  ///   - plan: The plan, for an ordered department.
  ///   - id: The id of the run; the ids of its jobs follow from it.
  /// - Returns: A handle, to wait for the plan's outcome with.
  /// - Throws: ``TellerError`` when the plan is not valid, or the broker has not confirmed it within
  ///   ``ClientTimeouts/submit``; `CancellationError`.
  @discardableResult
  public func submit(_ plan: Plan, id: JobID = JobID()) async throws -> PlanHandle {
    try await SubmissionTracing.run("plan", count: plan.steps.count, job: id) { headers in
      let steps = plan.steps.map(\.name)
      return try await submit(steps: steps, id: id) { () throws(JobFailure) in
        try SubmissionCodec.encode(try plan.submission(id: id, replyQueue: core.replyQueue, ofTracer: headers))
      }
    }
  }

  /// Starts a plan of the coordinator's `teller.yaml`, and returns once the broker has the order safely.
  ///
  /// A plan that is under way or open is not started again: ``PlanHandle/duplicateOf`` is its run then.
  ///
  /// - Parameters:
  ///   - name: The plan's name.
  ///   - payload: The input of every step that has none in the file.
  ///   - id: The id of the run. The same id is the same run, however often it is sent.
  /// - Returns: A handle, to wait for the plan's outcome with. A name that the coordinator does not know is a rejection:
  ///   ``JobError/rejected(_:_:)`` with the code `unknown_plan`.
  /// - Throws: ``TellerError`` when the broker has not confirmed the order within ``ClientTimeouts/submit``;
  ///   `CancellationError`.
  @discardableResult
  public func startPlan(_ name: PlanName, payload: JSONValue? = nil, id: JobID = JobID()) async throws -> PlanHandle {
    let bytes: [UInt8]?
    do throws(JobFailure) {
      bytes = try PlanStep.bytes(of: payload)
    } catch {
      throw TellerError.invalid(reason: error.message)
    }
    return try await startPlan(name, json: bytes, id: id)
  }

  /// The same with a JSON text, which reaches the handlers as it is. It must be one value.
  package func startPlan(_ name: PlanName, json payload: [UInt8]?, id: JobID) async throws -> PlanHandle {
    try await SubmissionTracing.run("plan", count: 1, job: id) { headers in
      var content = JobContent()
      content.add(own: [:], ofTracer: headers)
      return try await submit(steps: [], id: id, under: .plan(name)) { () throws(JobFailure) in
        try SubmissionCodec.encode(
          PlanStart(
            id: id, plan: name, payload: payload, submittedAt: .now(),
            reply: ReplyAddress(replyTo: core.replyQueue, correlationID: id.description, wait: .outcome),
            trace: content.trace, headers: content.headers))
      }
    }
  }

  private func submit(
    steps: [String], id: JobID, under name: SharedName? = nil, _ encode: () throws(JobFailure) -> Publishing
  ) async throws -> PlanHandle {
    let handle = PlanHandle(steps: steps, job: core.jobs.job(id), client: self)
    try await send(handle.job, toldOf: .outcome, under: name, encode)
    return handle
  }

  /// Sends a message of the submission queue that the coordinator answers about one job, plan or event.
  func send(
    _ job: TrackedJob, toldOf stage: TrackedJob.Stage, under name: SharedName? = nil,
    _ encode: () throws(JobFailure) -> Publishing
  ) async throws {
    let message: Publishing
    do throws(JobFailure) {
      message = try encode()
    } catch {
      throw TellerError.invalid(reason: error.message)
    }
    if message.body.count > SubmissionCodec.defaultBodyLimit {
      throw TellerError.payloadTooLarge(bytes: message.body.count, limit: SubmissionCodec.defaultBodyLimit)
    }
    job.beginSubmitting(toldOf: stage, under: name)
    try await core.submit([SubmissionPacks.Pack(message)])
  }

  /// Asks for a page of plans, the newest runs first.
  ///
  /// - Parameter query: Which plans, and where the page begins.
  /// - Returns: The page; its ``PlanPage/next`` is the `before` of the page after it.
  /// - Throws: ``TellerError/refused(_:)`` with the code `unknown_department`; ``TellerError/invalid(reason:)``;
  ///   ``TellerError`` when no coordinator answers; `CancellationError`.
  public func plans(_ query: PlanQuery = PlanQuery()) async throws -> PlanPage {
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.plans(query))
  }

  /// Asks for a plan with its steps, its gates and its events.
  ///
  /// - Parameter name: The plan's name. The last run is told.
  /// - Returns: The plan at this moment.
  /// - Throws: ``TellerError/refused(_:)`` with the code `not_found`; ``TellerError`` when no coordinator answers;
  ///   `CancellationError`.
  public func plan(_ name: PlanName) async throws -> PlanDetails { try await core.ask(.plan(name.name)) }

  /// Asks for a run of a plan.
  ///
  /// - Parameter run: The id of the run.
  /// - Returns: The run at this moment.
  /// - Throws: ``TellerError/refused(_:)`` with the code `not_found`; ``TellerError`` when no coordinator answers;
  ///   `CancellationError`.
  public func plan(_ run: JobID) async throws -> PlanDetails { try await core.ask(.plan(run.description)) }

  /// Stops a plan: a plan that runs is cancelled, and an open one is open no longer. Only operators may do that.
  ///
  /// - Parameters:
  ///   - name: The plan's name.
  ///   - gates: What becomes of the jobs behind the plan's gates.
  /// - Returns: Where the plan stood, and what was cancelled.
  /// - Throws: ``TellerError/refused(_:)`` with the code `unknown_plan`; ``TellerError`` when no coordinator answers;
  ///   `CancellationError`.
  @discardableResult
  public func stopPlan(_ name: PlanName, gates: GateChoice) async throws -> PlanStop {
    try await core.command(.stopPlan(PlanStopOrder(plan: name, gates: gates)))
  }
}
