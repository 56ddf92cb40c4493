package import Foundation
package import JobModel

/// A job in the answers of `show`, `jobs` and `wait`. Moments are milliseconds since 1970 by the coordinator's clock;
/// `submitted_ms` is by the submitter's clock.
package struct JobDocument: AnswerDocument {
  package var id: JobID
  package var number: Int64
  package var kind: JobKind
  package var department: Department
  package var priority: Priority
  package var state: JobState
  /// The present attempt; else the next one, or the last one of a job that has ended. From 1.
  package var attempt: Int
  /// How many attempts the job has.
  package var attempts: Int
  /// How many workers died while they ran the job; absent: none. A death that another job may have caused used up no
  /// attempt, and is not among `attemptsMade`.
  package var deaths: Int?
  package var plan: JobID?
  package var step: String?
  package var rank: Int?
  /// Until when a held job is held at least.
  package var notBefore: Timestamp?
  package var startBy: Timestamp?
  package var timeoutMs: Int64?
  package var key: String?
  /// The job that this job is a replay of.
  package var againOf: JobID?
  /// The replay of this job.
  package var replayedAs: JobID?
  /// Whether the job failed and was dropped: nothing is to be done about it.
  package var dropped: Bool?
  package var submittedAt: Timestamp?
  package var acceptedAt: Timestamp
  package var releasedAt: Timestamp?
  package var startedAt: Timestamp?
  package var finishedAt: Timestamp?
  /// From the acceptance to the start of the last attempt, in milliseconds.
  package var waitMs: Int64?
  /// How long the handler ran in the last attempt, in milliseconds.
  package var runMs: Int64?
  /// The result, when it is text of at most `longestText` bytes.
  package var result: String?
  /// Any other result; in JSON as Base64.
  package var resultData: Data?
  package var resultContentType: String?
  package var error: JobFailure?
  /// Empty in a list of jobs.
  package var attemptsMade: [AttemptRecord]

  /// The longest result that is shown as text, in bytes: in JSON a byte of text may become six.
  package static let longestText = 64 * 1024
  /// The longest error message of one of `attemptsMade`, in Unicode scalars: a job may have a hundred attempts.
  static let longestAttemptMessage = 500

  enum CodingKeys: String, CodingKey {
    case id, number, kind, department, priority, state, attempt, attempts, deaths, plan, step, rank, key, dropped
    case result, error
    case notBefore = "not_before_ms"
    case startBy = "start_by_ms"
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
    case attemptsMade = "attempts_made"
  }
}

extension JobDocument {
  /// How much of a job is in its document.
  package enum Extent: Hashable, Sendable {
    /// Everything.
    case full
    /// For one line of a list: without the result, and with the error's message cut.
    case line
  }

  /// The longest error message of a line, in Unicode scalars.
  package static let longestLineMessage = 200

  /// The document of a job, as the ledger has it. `state`: `job.progress.visibleState`, unless the caller knows better.
  package init(_ job: Job, state: JobState? = nil, attempts: [AttemptRecord] = [], extent: Extent = .full) {
    id = job.id
    number = job.number
    kind = job.kind
    department = job.department
    priority = job.priority
    self.state = state ?? job.progress.visibleState
    attempt = job.progress.attempt
    self.attempts = job.progress.maxAttempts
    deaths = job.progress.deaths > 0 ? job.progress.deaths : nil
    plan = job.plan
    step = job.step
    rank = job.order?.rank
    notBefore = job.progress.state == .held ? job.notBefore : nil
    startBy = job.startBy
    timeoutMs = job.timeout.map(\.milliseconds)
    key = job.key
    againOf = job.againOf
    switch job.settlement {
    case .replayed(let replay): replayedAs = replay
    case .dropped: dropped = true
    case nil: break
    }
    submittedAt = job.submittedAt
    acceptedAt = job.acceptedAt
    releasedAt = job.releasedAt
    startedAt = job.startedAt
    finishedAt = job.finishedAt
    waitMs = job.startedAt.map { max(0, $0.milliseconds(since: job.acceptedAt)) }
    runMs = job.ran.map(\.milliseconds)
    attemptsMade = extent == .full ? attempts.map(JobDocument.shortened) : []
    setOutcome(job.outcome, extent)
  }

  /// The outcome of a job that has ended; nil for any other.
  package var outcome: Outcome? {
    switch state {
    case .held, .queued, .running: nil
    case .succeeded: .succeeded(result: resultBytes, contentType: resultContentType)
    case .failed: error.map { .failed($0) }
    case .cancelled: error.map { .cancelled($0) }
    }
  }

  private static func shortened(_ attempt: AttemptRecord) -> AttemptRecord {
    var attempt = attempt
    attempt.failure = attempt.failure.map { FailureBody.shortened($0, to: longestAttemptMessage) }
    return attempt
  }

  private var resultBytes: [UInt8] { resultData.map(Array.init) ?? Array((result ?? "").utf8) }

  private mutating func setOutcome(_ outcome: Outcome?, _ extent: Extent) {
    if case .succeeded(let bytes, let contentType)? = outcome, extent == .full {
      resultContentType = contentType
      if bytes.count <= JobDocument.longestText, let text = String(validating: bytes, as: UTF8.self) {
        result = text
      } else {
        resultData = Data(bytes)
      }
    }
    let limit = extent == .full ? JobFailure.longestMessage : JobDocument.longestLineMessage
    error = outcome?.failure.map { FailureBody.shortened($0, to: limit) }
  }
}
