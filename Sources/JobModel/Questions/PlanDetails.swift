public import Foundation

/// One plan with its steps, its gates and its events, as `teller plan show` tells it. Dates are by the coordinator's clock.
public struct PlanDetails: Hashable, Sendable {
  /// The plan's name; nil: the plan only runs.
  public var name: PlanName?
  /// Where the plan stands.
  public var phase: PlanPhase
  /// The id of the run; nil: the plan has not been started.
  public var run: JobID?
  /// The department of the steps.
  public var department: Department
  /// The departments that wait until the plan is open.
  public var gates: [Gate]
  /// The jobs of the run, by rank: also each earlier round of a step that the plan has gone back over, and events. Of a
  /// plan that has not been started: its steps.
  public var steps: [Step]
  /// How many further jobs are left out, because the answer would be too large; `teller jobs --plan` lists them all.
  public var omittedSteps: Int?
  /// The events that the plan receives.
  public var events: [PlanEvent]
  /// How many events wait for the next run, or for somebody to accept them.
  public var waitingEvents: Int
  private var acceptedAt: Timestamp?
  private var finishedAt: Timestamp?
  /// Why the run has failed, or was cancelled.
  public var error: JobFailure?

  package init(
    name: PlanName?, phase: PlanPhase, run: JobID?, department: Department, gates: [Gate], steps: [Step],
    events: [PlanEvent], waitingEvents: Int, acceptedAt: Timestamp? = nil, finishedAt: Timestamp? = nil,
    error: JobFailure? = nil
  ) {
    (self.name, self.phase, self.run, self.department) = (name, phase, run, department)
    (self.gates, self.steps, self.events, self.waitingEvents) = (gates, steps, events, waitingEvents)
    (self.acceptedAt, self.finishedAt, self.error) = (acceptedAt, finishedAt, error)
  }

  /// When the run was recorded.
  public var accepted: Date? { acceptedAt?.date }
  /// When the steps of the run had ended.
  public var finished: Date? { finishedAt?.date }

  /// A department behind a gate.
  public struct Gate: Hashable, Sendable {
    /// The department.
    public var department: Department
    /// Whether this plan lets the department's jobs go.
    public var isOpen: Bool

    package init(_ department: Department, isOpen: Bool) { (self.department, self.isOpen) = (department, isOpen) }
  }

  /// A job of the run, or a step that has none yet.
  public struct Step: Hashable, Sendable {
    /// The name of the step, or of the event.
    public var name: String
    /// Its place: a lower rank goes first.
    public var rank: Int
    /// How often the step has been begun with this job, from 1. 0: the job acts on an event.
    public var round: Int
    /// Whether the plan fails when the step does.
    public var isRequired: Bool
    /// The kind of job.
    public var kind: JobKind
    /// The job; nil: the plan has not been started.
    public var job: JobID?
    /// The job's state; a step without a job is ``JobState/held``.
    public var state: JobState
    /// Why the job has failed, or was cancelled.
    public var error: JobFailure?

    package init(
      name: String, rank: Int, round: Int, isRequired: Bool, kind: JobKind, job: JobID? = nil, state: JobState = .held,
      error: JobFailure? = nil
    ) {
      (self.name, self.rank, self.round, self.isRequired) = (name, rank, round, isRequired)
      (self.kind, self.job, self.state, self.error) = (kind, job, state, error)
    }

    /// Whether the job acts on an event.
    public var isEvent: Bool { round == 0 }
  }
}

extension PlanDetails: Codable {
  enum CodingKeys: String, CodingKey {
    case name, phase, run, department, gates, steps, events, error
    case waitingEvents = "events_waiting"
    case omittedSteps = "steps_omitted"
    case acceptedAt = "accepted_ms"
    case finishedAt = "finished_ms"
  }
}

extension PlanDetails.Gate: Codable {
  enum CodingKeys: String, CodingKey {
    case department
    case isOpen = "open"
  }
}

extension PlanDetails.Step: Codable {
  enum CodingKeys: String, CodingKey {
    case name, rank, round, kind, job, state, error
    case isRequired = "required"
  }
}
