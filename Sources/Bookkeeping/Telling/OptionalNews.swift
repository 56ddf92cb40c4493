import Decisions
import JobModel
import Ledger

/// The events of the stream that settings may leave out: see ``OptionalEvent``.
extension Turn {
  /// An attempt has failed, or was cut short, and its job is tried again: at `retryAt`, or nil for at once.
  func tellFailed(_ attempt: AttemptRecord, of job: LiveJob, ran: Duration? = nil, retryAt: Timestamp?) throws {
    try tell(.attemptFailed, in: job.department, about: .job(job.id)) { event in
      Notification(
        job: job.id, kind: job.kind, department: job.department, event: event, attempt: attempt.number,
        at: attempt.endedAt, startedAgoMs: attempt.startedAt.map { attempt.endedAt.milliseconds(since: $0) },
        runMs: ran?.milliseconds, error: attempt.failure, name: job.step?.name, key: job.key, retryAt: retryAt)
    }
  }

  /// A submission is refused, and parked for people.
  func tellParked(_ rejection: Rejection, _ content: IncomingSubmission, at now: Timestamp) throws {
    let id = rejection.messageID.flatMap { JobID($0) }
    let subject: NotificationSubject = id.map { .job($0) } ?? .message(rejection.messageID ?? "")
    try tell(.parked, about: subject) { event in
      var notification = Notification(job: id, event: event, at: now, error: rejection.failure)
      notification.name = id == nil ? rejection.messageID : nil
      if case .job(let submission) = content {
        (notification.kind, notification.department) = (submission.kind, submission.department)
        notification.key = submission.key?.text
      }
      return notification
    }
  }
}
