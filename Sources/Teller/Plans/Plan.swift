import Foundation
public import JobModel
import JobTransport

/// Steps that run by rank in an ordered department. A plan starts as a whole or not at all.
///
///     let opening = Plan(
///       "opening", department: "init", gates: ["deposit", "loan"],
///       steps: [
///         Plan.Step("network", kind: "check-network", rank: 1),
///         Plan.Step("user information", kind: "load-user", rank: 2),
///         Plan.Step(
///           "login", kind: "login", rank: 3, reentry: Reentry(on: "session_expired", from: "user information")),
///         Plan.Step("banner", kind: "show-banner", rank: 4, isRequired: false),
///       ],
///       events: [PlanEvent("push", rank: 4, kind: "open-push", whenOpen: .announce)])
///
/// Each step knows only itself: to add or to remove a step is to add or to remove one line. The same plan can stand under
/// `plans:` in the coordinator's `teller.yaml`, and is started there by its name: see
/// ``TellerClient/startPlan(_:payload:id:)``.
public struct Plan: Hashable, Sendable {
  /// The plan's name; nil: the plan only runs. Of all runs of one name at most one is under way or open.
  public var name: PlanName?
  /// An ordered department.
  public var department: Department
  /// In any order: the ranks decide. Steps of one rank run beside each other, at most 100 at once.
  public var steps: [Step]
  /// The events that the plan receives. A plan with events needs a name.
  public var events: [PlanEvent]
  /// The departments whose jobs are held until the plan is open. A plan with gates needs a name. Only an operator may
  /// submit such a plan: it holds back everybody's jobs.
  public var gates: [Department]
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
    public var payload: JSONValue? { didSet { json = nil } }
    /// The same as the handler's type was written: a value has not every number.
    fileprivate var json: [UInt8]?
    /// Whether the plan fails when the step does. Without an optional step that fails, the plan goes on.
    public var isRequired = true
    /// How often the step is tried; nil: as the coordinator's `teller.yaml` says, else the handler's
    /// ``HandlerPolicy``, else three times.
    public var attempts: Int?
    /// How long one attempt may run; nil: as the coordinator's `teller.yaml` says, else without a limit.
    public var timeout: Duration?
    /// How long after the start of the run the step must have begun: the time of lower ranks counts, too. When the plan
    /// goes back, the time begins anew. nil: as the coordinator's `teller.yaml` says, else there is no limit.
    public var startWithin: Duration?
    /// When the plan goes back to an earlier step; nil: never.
    public var reentry: Reentry?

    /// A step of a kind that is known only at run time.
    public init(
      _ name: String, kind: JobKind, rank: Int, payload: JSONValue? = nil, isRequired: Bool = true,
      attempts: Int? = nil, timeout: Duration? = nil, startWithin: Duration? = nil, reentry: Reentry? = nil
    ) {
      self.name = name
      self.kind = kind
      self.rank = rank
      self.payload = payload
      self.isRequired = isRequired
      self.attempts = attempts
      self.timeout = timeout
      self.startWithin = startWithin
      self.reentry = reentry
    }

    /// A step for a handler.
    ///
    /// - Throws: `EncodingError` when the payload cannot be written as JSON.
    public init<Handler: JobHandler>(
      _ name: String, _ handler: Handler.Type, _ payload: Handler.Payload, rank: Int, isRequired: Bool = true,
      attempts: Int? = nil, timeout: Duration? = nil, startWithin: Duration? = nil, reentry: Reentry? = nil
    ) throws {
      let encoder = JSONEncoder()
      // The same value has the same bytes.
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let json = try encoder.encode(payload)
      let value = try JSONDecoder().decode(JSONValue.self, from: json)
      self.init(
        name, kind: Handler.kind, rank: rank, payload: value, isRequired: isRequired, attempts: attempts,
        timeout: timeout, startWithin: startWithin, reentry: reentry)
      if value != .null { self.json = [UInt8](json) }
    }
  }

  /// A plan for an ordered department.
  public init(
    _ name: PlanName? = nil, department: Department, gates: [Department] = [], steps: [Step],
    events: [PlanEvent] = []
  ) {
    self.name = name
    self.department = department
    self.gates = gates
    self.steps = steps
    self.events = events
  }

  /// Everything that is wrong with the plan in itself, for people; empty when nothing is. A plan with a problem is not
  /// submitted.
  public var problems: [String] {
    do throws(JobFailure) {
      let definition = try definition()
      return definition.problems.map(definition.described)
    } catch {
      return [error.message]
    }
  }
}

extension Plan.Step {
  /// The payload as it is sent.
  fileprivate func bytes() throws(JobFailure) -> [UInt8]? {
    if let json { json } else { try PlanStep.bytes(of: payload) }
  }
}

extension Plan {
  /// - Throws: `bad_plan` when JSON cannot hold a payload.
  package func definition() throws(JobFailure) -> PlanDefinition {
    PlanDefinition(
      name: name, department: department,
      steps: try steps.map { step throws(JobFailure) in
        PlanStep(
          name: step.name, kind: step.kind, rank: step.rank, payload: try step.bytes(),
          isRequired: step.isRequired, attempts: step.attempts, timeout: step.timeout, startWithin: step.startWithin,
          reentry: step.reentry)
      },
      events: events, gates: gates)
  }

  /// - Throws: `bad_plan` when JSON cannot hold a payload, or the headers are too many.
  func submission(
    id: JobID, replyQueue: String, ofTracer: [String: String]
  ) throws(JobFailure) -> PlanSubmission {
    var content = JobContent()
    content.add(own: headers, ofTracer: ofTracer)
    if let problem = SubmittedHeaders.problem(of: content.headers) { throw .badPlan(problem) }
    return PlanSubmission(
      id: id, definition: try definition(), submittedAt: .now(),
      reply: ReplyAddress(replyTo: replyQueue, correlationID: id.description, wait: .outcome),
      trace: content.trace, headers: content.headers)
  }
}
