public import Foundation

/// A job as the coordinator's ledger has it at one moment, without its payload. Dates are by the coordinator's clock, but
/// ``submitted`` is by the submitter's.
public struct JobRecord: Hashable, Sendable, Identifiable {
  /// The job's id.
  public var id: JobID
  /// Counts the jobs that the coordinator has accepted.
  public var number: Int64
  /// The job's kind; `plan` for a plan.
  public var kind: JobKind
  /// The job's department.
  public var department: Department
  /// How urgent the job is.
  public var priority: Priority
  /// The job's state.
  public var state: JobState
  /// The present attempt; else the next one, or the last one of a job that has ended. From 1.
  public var attempt: Int
  /// How many attempts the job has.
  public var maxAttempts: Int
  /// The plan that the job is a step of.
  public var plan: JobID?
  /// The name of the step.
  public var step: String?
  /// The job's place in an ordered department; a lower one goes first.
  public var rank: Int?
  /// The job's key, if it has one.
  public var key: String?
  /// The failed job that this job is a replay of.
  public var againOf: JobID?
  /// The replay of this job, after it had failed.
  public var replayedAs: JobID?
  /// The attempts that have ended, in their order; empty in a list of jobs. A death of a worker that another job may have
  /// caused used up no attempt, and is not here.
  public var attempts: [AttemptRecord]

  /// What holds the job, if it is held: the first reason of ``JobExplanation``, without looking at other jobs.
  public var hold: JobExplanation.Hold?
  /// Of a plan's job: how often the step has been begun with it, from 1; 0: the job acts on an event.
  public var round: Int?
  /// The rule that has made the job; nil: none has.
  public var rule: RuleName?
  /// The place of the event that the rule has made the job of, such as `1/42`.
  public var ruleEvent: String?
  /// The job, the plan's run or the event of a plan that this event was about; nil: something else.
  public var cause: JobID?
  /// The jobs that rules have made of what happened to this one, the first ``mostLedTo``; nil in a list of jobs.
  public var ledTo: [JobID]?
  /// What operators did about the job, the newest first, at most ``mostActions``; nil in a list of jobs, and when it was
  /// nothing.
  public var actions: [OperatorAction]?
  /// The attempt that is under way; nil: the job does not run, or is in a list.
  public var run: PresentRun?
  /// How far the present run has come; nil: the job does not run, or its handler has not said it.
  public var progress: RunProgress?

  package var deathCount: Int?
  package var wasDropped: Bool?
  package var wasHandled: Bool?
  package var notBefore: Timestamp?
  package var latestStart: Timestamp?
  package var submittedAt: Timestamp?
  package var acceptedAt: Timestamp
  package var releasedAt: Timestamp?
  package var startedAt: Timestamp?
  package var finishedAt: Timestamp?
  package var timeoutMs: Int64?
  package var waitMs: Int64?
  package var runMs: Int64?
  /// The result, when it is text of at most ``longestText`` bytes.
  package var result: String?
  /// Any other result; in JSON as Base64.
  package var resultData: Data?
  package var resultContentType: String?
  package var error: JobFailure?
}

extension JobRecord {
  /// How many jobs of rules are told.
  public static let mostLedTo = 100
  /// How many actions are told.
  public static let mostActions = 100

  /// How many workers died while they ran the job.
  public var deaths: Int { deathCount ?? 0 }
  /// Whether the job failed and was dropped: nothing is to be done about it.
  public var isDropped: Bool { wasDropped ?? false }
  /// Whether the job failed and its plan was ready for that, so that nothing is to be done about it: the step is optional, or
  /// the plan went back.
  public var isHandled: Bool { wasHandled ?? false }
  /// Until when the job is held at least: it is scheduled, or waits for its next attempt. Nil: it is not held for a time.
  public var heldUntil: Date? { notBefore?.date }
  /// When the job fails, unless an attempt has begun by then.
  public var startBy: Date? { latestStart?.date }
  /// When the job was submitted, if its submitter said so.
  public var submitted: Date? { submittedAt?.date }
  /// When the job was recorded.
  public var accepted: Date { acceptedAt.date }
  /// When the job was released to its queue, the last time.
  public var released: Date? { releasedAt?.date }
  /// When the last attempt began; nil while the job has not ended, and when it ended without an attempt.
  public var started: Date? { startedAt?.date }
  /// When the job ended.
  public var finished: Date? { finishedAt?.date }
  /// How long one attempt may run.
  public var timeout: Duration? { timeoutMs.map { .milliseconds($0) } }
  /// From the acceptance to the start of the last attempt.
  public var waited: Duration? { waitMs.map { .milliseconds($0) } }
  /// How long the handler ran in the last attempt, by its worker's clock.
  public var ran: Duration? { runMs.map { .milliseconds($0) } }

  /// The outcome; nil while the job has not ended. In a list of jobs it has no result, and a short message.
  public var outcome: Outcome? {
    switch state {
    case .held, .queued, .running: nil
    case .succeeded:
      .succeeded(result: resultData.map(Array.init) ?? Array((result ?? "").utf8), contentType: resultContentType)
    case .failed: error.map { .failed($0) }
    case .cancelled: error.map { .cancelled($0) }
    }
  }
}

extension JobRecord: Codable {
  enum CodingKeys: String, CodingKey {
    case id, number, kind, department, priority, state, hold, attempt, plan, step, round, rank, key, rule, cause
    case run, progress, result, error, actions
    case ruleEvent = "rule_event"
    case ledTo = "led_to"
    case maxAttempts = "attempts"
    case deathCount = "deaths"
    case wasDropped = "dropped"
    case wasHandled = "handled"
    case notBefore = "not_before_ms"
    case latestStart = "start_by_ms"
    case timeoutMs = "timeout_ms"
    case againOf = "again_of"
    case replayedAs = "replayed_as"
    case submittedAt = "submitted_ms"
    case acceptedAt = "accepted_ms"
    case releasedAt = "released_ms"
    case startedAt = "started_ms"
    case finishedAt = "finished_ms"
    case waitMs = "wait_ms"
    case runMs = "run_ms"
    case resultData = "result_base64"
    case resultContentType = "result_content_type"
    case attempts = "attempts_made"
  }
}
