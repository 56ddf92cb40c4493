public import JobModel

/// A handle of a run of a plan. Like ``JobHandle``, for the plan as a whole; ``step(_:)`` gives a handle of each step.
public struct PlanHandle: Sendable {
  /// The id of the run. Where the plan was under way or open before, ``duplicateOf`` is the run that counts.
  public var id: JobID { job.id }
  /// The names of the steps, in the order in which they were submitted; empty when the plan was started by its name.
  public let steps: [String]

  let job: TrackedJob
  let client: TellerClient

  /// The run that was there before, once the coordinator has answered that the plan of this name is under way or open: no
  /// other run was begun, and this one's outcome counts. Nil before the acceptance, and for a new run.
  public var duplicateOf: JobID? { job.knowledge.duplicateOf }

  /// What the coordinator has decided: that a run has begun, perhaps in the place of an earlier one, or that one is under
  /// way or open. Nil before the acceptance, and for a rejected plan.
  public var decision: SubmissionDecision? { job.knowledge.decided }

  /// The id of a step's job. It is made from the id of the run and the step's name. When the plan goes back over a step,
  /// the step runs again as another job; ``TellerClient/plan(_:)-(PlanName)`` names it.
  public func id(ofStep name: String) -> JobID { JobID(plan: duplicateOf ?? id, step: name) }

  /// A handle of a step's job.
  ///
  /// The coordinator replies by itself about the plan as a whole. About a step the client asks while a task waits.
  public func step(_ name: String) -> JobHandle<JSONValue> { client.handle(of: id(ofStep: name)) }

  /// Waits until the coordinator has recorded the plan.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Throws: ``JobError/rejected(_:_:)``; ``TellerError``; `CancellationError`.
  public func accepted(timeout: Duration? = nil) async throws {
    _ = try await job.wait(for: .acceptance, timeout: timeout, what: "plan \(id) to be accepted")
  }

  /// Waits until the run has ended: every required step has succeeded, so that the plan is open; or a required step has
  /// failed, and the others are cancelled.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Returns: The outcome; the result of a plan is empty.
  /// - Throws: ``JobError/rejected(_:_:)``; ``TellerError``; `CancellationError`.
  public func outcome(timeout: Duration? = nil) async throws -> Outcome {
    try await job.outcome(timeout: timeout, what: "plan \(id) to end")
  }
}
