import Bookkeeping
import Hosting
import JobModel

/// The coordinator's jobs, as its services are told of them: from what is recorded.
extension HostedServices {
  /// Tells the services of the changes, after the other watcher.
  func watching(besides other: Bookkeeper.Watch?) -> Bookkeeper.Watch {
    { [self] changes in
      other?(changes)
      for change in changes { tell(change) }
    }
  }

  /// A job that waits, or that waits again, is no news here.
  private func tell(_ change: JobChange) {
    let job = HostedJob(id: change.job.id, kind: change.job.kind, department: change.job.department)
    if change.to == .running { return jobStarted(job) }
    guard let outcome = change.outcome else { return }
    jobEnded(HostedJobEnd(job, outcome, change.notification))
  }
}

/// The events that plans receive, as the coordinator's services are told of them.
extension HostedServices {
  func tellEvents(in batch: NotificationBatch) {
    for status in batch.notifications.compactMap(EventStatus.init) { received(status) }
  }
}

extension EventStatus {
  /// Nil: the notification tells something else.
  fileprivate init?(_ notification: Notification) {
    let states: [EventState] = [.kept, .acted, .announced, .dismissed]
    guard let job = notification.job, let kind = notification.kind, let department = notification.department,
      let plan = notification.plan, let name = notification.name.flatMap({ EventName($0) }),
      let state = states.first(where: { PlanNews.word(of: $0) == notification.event })
    else { return nil }
    self.init(
      id: job, name: name, plan: plan, state: state, department: department, kind: kind, receivedAt: notification.at,
      decidedAt: nil)
  }
}

extension HostedJobEnd {
  /// The notification knows of the last attempt.
  fileprivate init(_ job: HostedJob, _ outcome: Outcome, _ notification: Notification?) {
    var job = job
    job.attempt = notification?.attempt.flatMap { $0 > 0 ? $0 : nil }
    let ran = notification?.runMs.map { Duration.milliseconds($0) }
    switch outcome {
    case .succeeded: self.init(job, .succeeded, ran: ran)
    case .failed(let failure): self.init(job, .failed, failure: failure, ran: ran)
    case .cancelled(let failure): self.init(job, .cancelled, failure: failure, ran: ran)
    }
  }
}
