import JobModel
import JobTransport
import Ledger

/// What people are told of times: what the present wall clock said then, or would have said. As long as nobody sets the
/// clock, that is what the ledger has.
extension LedgerClock {
  func shown(_ job: Job) -> Job {
    guard lead != .zero else { return job }
    var job = job
    if !job.isByClock {
      job.notBefore = job.notBefore.map(wallTime)
      job.startBy = job.startBy.map(wallTime)
    }
    job.acceptedAt = wallTime(of: job.acceptedAt)
    job.releasedAt = job.releasedAt.map(wallTime)
    job.startedAt = job.startedAt.map(wallTime)
    job.finishedAt = job.finishedAt.map(wallTime)
    return job
  }

  func shown(_ attempt: AttemptRecord) -> AttemptRecord {
    var attempt = attempt
    attempt.startedAt = attempt.startedAt.map(wallTime)
    attempt.endedAt = wallTime(of: attempt.endedAt)
    return attempt
  }

  func shown(_ operation: OperationRecord) -> OperationRecord {
    var operation = operation
    operation.startedAt = wallTime(of: operation.startedAt)
    operation.finishedAt = operation.finishedAt.map(wallTime)
    return operation
  }

  func shown(_ notification: Notification) -> Notification {
    var notification = notification
    notification.at = wallTime(of: notification.at)
    return notification
  }

  func shown(_ document: ExplainDocument) -> ExplainDocument {
    guard lead != .zero else { return document }
    var document = document
    for index in document.reasons.indices {
      document.reasons[index].since = document.reasons[index].since.map(wallTime)
      document.reasons[index].until = document.reasons[index].until.map(wallTime)
    }
    return document
  }

  /// A job whose times are all the ledger's.
  func inLedgerTime(_ job: Job) -> Job {
    guard job.isByClock else { return job }
    var job = job
    job.notBefore = job.notBefore.map(ledgerTime)
    job.startBy = job.startBy.map(ledgerTime)
    job.isByClock = false
    return job
  }
}
