import Foundation
public import JobModel
import JobTransport

/// Steps that run by rank in an ordered department, one after another. It is submitted as one message, so it starts as a
/// whole or not at all.
///
/// Each step knows only itself: to add one or to take one out is one line, and no other line changes.
public struct Plan: Hashable, Sendable {
  /// An ordered department.
  public var department: Department
  /// In any order: ranks decide; of the same rank the one that stands first goes first.
  public var steps: [Step]

  /// One step: a job of the plan.
  public struct Step: Hashable, Sendable {
    /// Its name, which no other step of the plan has.
    public var name: String
    /// Which handler runs it.
    public var kind: JobKind
    /// Its place: a lower rank goes first. 1–1,000,000.
    public var rank: Int
    /// What the handler is given; nil: nothing.
    public var payload: JSONValue?
    /// How often it is tried; nil: as the coordinator's `teller.yaml` says, else three times.
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

  /// A plan for that department.
  public init(department: Department, steps: [Step]) {
    self.department = department
    self.steps = steps
  }
}

extension Plan {
  /// - Throws: `bad_plan` when JSON cannot hold a payload.
  func submission(id: JobID, replyQueue: String) throws(JobFailure) -> PlanSubmission {
    PlanSubmission(
      id: id, department: department,
      steps: try steps.map { step throws(JobFailure) in
        try PlanStep(name: step.name, kind: step.kind, rank: step.rank, value: step.payload, attempts: step.attempts)
      },
      submittedAt: .now(),
      reply: ReplyAddress(replyTo: replyQueue, correlationID: id.description, wait: .outcome))
  }
}

/// A plan that was submitted. As ``JobHandle``, for the plan as a whole and for each of its steps.
public struct PlanHandle: Sendable {
  /// The plan's id.
  public var id: JobID { job.id }
  /// The names of its steps, as they were submitted.
  public let steps: [String]

  let job: TrackedJob
  let client: TellerClient

  /// The id of a step's job. It follows from the plan's id and the step's name.
  public func id(ofStep name: String) -> JobID { JobID(plan: id, step: name) }

  /// A step's job.
  ///
  /// The coordinator tells of the plan as a whole by itself; of a step it is asked, which takes some seconds.
  public func step(_ name: String) -> JobHandle<JSONValue> { client.job(id(ofStep: name)) }

  /// Waits until the coordinator has recorded the plan.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Throws: `JobFailure` when it was rejected; ``TellerError`` when nobody can tell; `CancellationError`.
  public func accepted(timeout: Duration? = nil) async throws {
    _ = try await job.wait(for: .acceptance, timeout: timeout, what: "plan \(id) to be accepted")
  }

  /// Waits until the plan has ended: every step has succeeded, or one has failed and the rest is cancelled.
  ///
  /// - Parameter timeout: How long to wait; nil: as long as a coordinator answers.
  /// - Returns: How it ended; the result of a plan is empty.
  /// - Throws: `JobFailure` when it was rejected; ``TellerError`` when nobody can tell; `CancellationError`.
  public func outcome(timeout: Duration? = nil) async throws -> Outcome {
    try await job.outcome(timeout: timeout, what: "plan \(id) to end")
  }
}
