import Foundation
import JobModel
import Ledger

/// Submissions that are one-shot by their key.
extension Bookkeeper {
  /// The job that has the submission's key already; nil when there is no key, or it is free. A submission that came
  /// before is known by its id, unless its job's row was removed: then only the key knows it.
  func holder(
    of submission: Submission, in department: Department, at now: Timestamp, _ turn: Turn
  ) throws -> Job? {
    guard let key = submission.key, let record = try turn.ledger.keyHolder(submission.kind, key.text),
      record.job != submission.id || !record.isJobKnown
    else { return nil }
    guard let job = try turn.ledger.job(record.job) ?? Job(record, submission, department) else { return nil }
    // While nobody knows how long the coordinator was away, no window has passed.
    return record.isTaken(at: now) || !clock.mayRemove(at: now) ? job : nil
  }

  /// A new job takes its key, for its window at least.
  func take(_ key: SubmissionKey?, of job: NewJob, _ turn: Turn) throws {
    guard let key else { return }
    try turn.ledger.takeKey(job.kind, key.text, job: job.id, until: job.acceptedAt + key.window)
  }

  /// Gives a key back before its window has passed; the job that has it goes on. Of a command that comes again, known by
  /// its id, whoever took the key meanwhile keeps it, and the answer is the first one: whether anybody had it.
  func freeKey(_ kind: JobKind, _ key: String, command: UUID? = nil) throws(LedgerError) -> Bool {
    try turn { turn in
      guard let command else { return try turn.ledger.freeKey(kind, key) }
      return try turn.ledger.freeKey(kind, key, command: command, at: now)
    }
  }
}

extension Job {
  /// A job whose row was removed, and whose key still tells its outcome.
  fileprivate init?(_ record: KeyRecord, _ submission: Submission, _ department: Department) {
    guard let outcome = record.outcome else { return nil }
    var progress = JobProgress(maxAttempts: 1)
    progress.state = outcome.state
    self.init(
      number: 0, id: record.job, kind: submission.kind, department: department,
      priority: submission.priority, progress: progress, acceptedAt: record.until, outcome: outcome)
  }
}
