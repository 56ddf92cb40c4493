/// What people are told of times: what the present wall clock said then, or would have said. As long as nobody sets the
/// clock, that is what the ledger has.
extension LedgerClock {
  package func shown(_ job: Job) -> Job {
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

  package func shown(_ attempt: AttemptRecord) -> AttemptRecord {
    var attempt = attempt
    attempt.startedAt = attempt.startedAt.map(wallTime)
    attempt.endedAt = wallTime(of: attempt.endedAt)
    return attempt
  }

  package func shown(_ event: EventStatus) -> EventStatus {
    var event = event
    event.receivedAt = wallTime(of: event.receivedAt)
    event.decidedAt = event.decidedAt.map(wallTime)
    return event
  }

  package func shown(_ action: OperatorAction) -> OperatorAction {
    var action = action
    action.at = wallTime(of: action.at)
    return action
  }

  package func shown(_ notification: Notification) -> Notification {
    var notification = notification
    notification.at = wallTime(of: notification.at)
    notification.retryAt = notification.retryAt.map(wallTime)
    return notification
  }

  package func shown(_ explanation: JobExplanation) -> JobExplanation {
    guard lead != .zero else { return explanation }
    var explanation = explanation
    for index in explanation.reasons.indices {
      explanation.reasons[index].startsAt = explanation.reasons[index].startsAt.map(wallTime)
      explanation.reasons[index].endsAt = explanation.reasons[index].endsAt.map(wallTime)
    }
    return explanation
  }

  /// A job whose times are all the ledger's.
  package func inLedgerTime(_ job: Job) -> Job {
    guard job.isByClock else { return job }
    var job = job
    job.notBefore = job.notBefore.map(ledgerTime)
    job.startBy = job.startBy.map(ledgerTime)
    job.isByClock = false
    return job
  }
}
