import Foundation
public import JobModel
import JobTransport

/// Steps that run by rank, one after another, in an ordered department. A plan starts as a whole or not at all.
///
///     let opening = Plan(
///       department: "init",
///       steps: [
///         Plan.Step("network", kind: "check-network", rank: 1),
///         Plan.Step("login", kind: "login", rank: 2),
///       ])
///
/// Each step knows only itself: to add or to remove a step is to add or to remove one line.
public struct Plan: Hashable, Sendable {
  /// An ordered department.
  public var department: Department
  /// In any order: the ranks decide. Of two steps with the same rank the first in the list goes first.
  public var steps: [Step]
  /// Headers of the submitter's own; the handler of each step gets them. See ``JobSubmission/headers``.
  public var headers: [String: String] = [:]

  /// One step: a job of the plan.
  public struct Step: Hashable, Sendable {
    /// The step's name. No other step of the plan has the same name.
    public var name: String
    /// The kind of job: it says which handler runs the step.
    public var kind: JobKind
    /// The step's place: a lower rank goes first. 1–1,000,000.
    public var rank: Int
    /// The input of the handler; nil: none.
    public var payload: JSONValue?
    /// How often the step is tried; nil: as the coordinator's `teller.yaml` says, else the handler's
    /// ``HandlerPolicy``, else three times.
    public var attempts: Int?

    /// A step of a kind that is known only at run time.
    public init(_ name: String, kind: JobKind, rank: Int, payload: JSONValue? = nil, attempts: Int? = nil) {
      self.name = name
      self.kind = kind
      self.rank = rank
      self.payload = payload
      self.attempts = attempts
    }

    /// A step for a handler.
    ///
    /// - Throws: `EncodingError` when the payload cannot be written as JSON.
    public init<Handler: JobHandler>(
      _ name: String, _ handler: Handler.Type, _ payload: Handler.Payload, rank: Int, attempts: Int? = nil
    ) throws {
      let value = try JSONDecoder().decode(JSONValue.self, from: try JSONEncoder().encode(payload))
      self.init(name, kind: Handler.kind, rank: rank, payload: value, attempts: attempts)
    }
  }

  /// A plan for an ordered department.
  public init(department: Department, steps: [Step]) {
    self.department = department
    self.steps = steps
  }
}

extension Plan {
  /// - Throws: `bad_plan` when JSON cannot hold a payload, or the headers are too many.
  func submission(
    id: JobID, replyQueue: String, ofTracer: [String: String]
  ) throws(JobFailure) -> PlanSubmission {
    var content = JobContent()
    content.add(own: headers, ofTracer: ofTracer)
    if let problem = SubmittedHeaders.problem(of: content.headers) { throw .badPlan(problem) }
    return PlanSubmission(
      id: id, department: department,
      steps: try steps.map { step throws(JobFailure) in
        try PlanStep(name: step.name, kind: step.kind, rank: step.rank, value: step.payload, attempts: step.attempts)
      },
      submittedAt: .now(),
      reply: ReplyAddress(replyTo: replyQueue, correlationID: id.description, wait: .outcome),
      trace: content.trace, headers: content.headers)
  }
}

/// A handle of a submitted plan. Like ``JobHandle``, for the plan as a whole; ``step(_:)`` gives a handle of each step.
public struct PlanHandle: Sendable {
  /// The plan's id.
  public var id: JobID { job.id }
  /// The names of the steps, in the order in which they were submitted.
  public let steps: [String]

  let job: TrackedJob
  let client: TellerClient

  /// The id of a step's job. It is made from the plan's id and the step's name.
  public func id(ofStep name: String) -> JobID { JobID(plan: id, step: name) }

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

  /// Waits until the plan has ended: every step has succeeded, or one has failed and the others are cancelled.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Returns: The outcome; the result of a plan is empty.
  /// - Throws: ``JobError/rejected(_:_:)``; ``TellerError``; `CancellationError`.
  public func outcome(timeout: Duration? = nil) async throws -> Outcome {
    try await job.outcome(timeout: timeout, what: "plan \(id) to end")
  }
}
