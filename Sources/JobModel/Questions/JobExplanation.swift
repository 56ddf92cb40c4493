public import Foundation

/// Why a job does not run, or has not ended, and what would change that.
public struct JobExplanation: Hashable, Sendable, Codable {
  /// The id of the job, or of the plan.
  public var job: JobID
  /// The job's state.
  public var state: JobState
  /// The job's kind; `plan` for a plan.
  public var kind: JobKind
  /// The job's department.
  public var department: Department
  /// Every reason; a job may be held for several at once.
  public var reasons: [Reason]

  package init(job: JobID, state: JobState, kind: JobKind, department: Department, reasons: [Reason]) {
    self.job = job
    self.state = state
    self.kind = kind
    self.department = department
    self.reasons = reasons
  }

  /// One reason why a job or a plan is not released, does not run, or has not ended.
  public struct Reason: Hashable, Sendable {
    /// What holds the job.
    public var hold: Hold
    /// The reason as a sentence, for people.
    public var text: String
    /// What would lift the hold, for people.
    public var lifts: String?
    /// The name of the worker that runs the job, has taken it ahead, or has all handlers that do not end.
    public var worker: String?
    package var startsAt: Timestamp?
    package var endsAt: Timestamp?
    private var waitedFor: [JobID]?

    package init(
      hold: Hold, text: String, lifts: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil,
      jobs: [JobID]? = nil, worker: String? = nil
    ) {
      self.hold = hold
      self.text = text
      self.lifts = lifts
      self.worker = worker
      startsAt = since
      endsAt = until
      waitedFor = jobs
    }

    /// When the hold began, if that is known.
    public var since: Date? { startsAt?.date }
    /// When the hold ends by itself, if that is known.
    public var until: Date? { endsAt?.date }
    /// Some of the jobs that this job waits for; at most ``JobExplanation/jobLimit``.
    public var jobs: [JobID] { waitedFor ?? [] }
  }

  /// The most jobs that a reason names.
  public static let jobLimit = 10
}

extension JobExplanation.Reason: Codable {
  enum CodingKeys: String, CodingKey {
    case hold, text, lifts, worker
    case startsAt = "since_ms"
    case endsAt = "until_ms"
    case waitedFor = "jobs"
  }
}
