import Foundation

extension JobRecord {
  /// How much of a job is in its record.
  package enum Extent: Hashable, Sendable {
    /// Everything.
    case full
    /// For one line of a list: without the result, and with the error's message cut.
    case line
  }

  /// The longest result that is shown as text, in bytes: in JSON a byte of text may become six.
  package static let longestText = 64 * 1024
  /// The longest error message of one of the attempts, in Unicode scalars: a job may have a hundred attempts.
  static let longestAttemptMessage = 500
  /// The longest error message of a line, in Unicode scalars.
  package static let longestLineMessage = 200

  /// The record of a job, as the ledger has it. `state`: `job.progress.visibleState`, unless the caller knows better.
  package init(_ job: Job, state: JobState? = nil, attempts: [AttemptRecord] = [], extent: Extent = .full) {
    self.init(
      id: job.id, number: job.number, kind: job.kind, department: job.department, priority: job.priority,
      state: state ?? job.progress.visibleState, attempt: job.progress.attempt, maxAttempts: job.progress.maxAttempts,
      plan: job.plan, step: job.step, rank: job.order?.rank, key: job.key, againOf: job.againOf,
      attempts: extent == .full ? attempts.map(JobRecord.shortened) : [], round: job.round, acceptedAt: job.acceptedAt)
    deathCount = job.progress.deaths > 0 ? job.progress.deaths : nil
    switch job.settlement {
    case .replayed(let replay): replayedAs = replay
    case .dropped: wasDropped = true
    case .handled: wasHandled = true
    case nil: break
    }
    setTimes(job)
    setOutcome(job.outcome, extent)
  }

  private static func shortened(_ attempt: AttemptRecord) -> AttemptRecord {
    var attempt = attempt
    attempt.failure = attempt.failure?.shortened(to: longestAttemptMessage)
    return attempt
  }

  private mutating func setTimes(_ job: Job) {
    notBefore = job.progress.state == .held ? job.notBefore : nil
    latestStart = job.startBy
    timeoutMs = job.timeout?.milliseconds
    submittedAt = job.submittedAt
    releasedAt = job.releasedAt
    startedAt = job.startedAt
    finishedAt = job.finishedAt
    waitMs = job.startedAt.map { max(0, $0.milliseconds(since: job.acceptedAt)) }
    runMs = job.ran?.milliseconds
  }

  private mutating func setOutcome(_ outcome: Outcome?, _ extent: Extent) {
    if case .succeeded(let bytes, let contentType)? = outcome, extent == .full {
      resultContentType = contentType
      if bytes.count <= JobRecord.longestText, let text = String(validating: bytes, as: UTF8.self) {
        result = text
      } else {
        resultData = Data(bytes)
      }
    }
    error = outcome?.failure?.shortened(to: extent == .full ? JobFailure.longestMessage : JobRecord.longestLineMessage)
  }
}
