import Decisions
import JobModel
import Ledger

/// The events of the stream that settings may leave out: see ``OptionalEvent``.
extension Turn {
  /// An attempt has failed, or was cut short, and its job is tried again: at `retryAt`, or nil for at once.
  func tellFailed(_ attempt: AttemptRecord, of job: LiveJob, ran: Duration? = nil, retryAt: Timestamp?) throws {
    try notify(.attemptFailed, in: job.department, about: .job(job.id)) { event in
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
    try notify(.parked, about: subject) { event in
      var notification = Notification(job: id, event: event, at: now, error: rejection.failure)
      notification.name = id == nil ? rejection.messageID : nil
      if case .job(let submission) = content {
        (notification.kind, notification.department) = (submission.kind, submission.department)
        notification.key = submission.key?.text
      }
      return notification
    }
  }

  /// A key can be used again.
  func tellFreed(_ key: FreedKeyRecord, at now: Timestamp) throws {
    try notify(.keyFreed, about: .key(key.kind, key.text)) { event in
      Notification(job: key.job, kind: key.kind, event: event, at: now, key: key.text)
    }
  }

  /// All keys of a kind can be used again.
  func tellFreed(allOf kind: JobKind, at now: Timestamp) throws {
    try notify(.keyFreed, about: .key(kind, "")) { Notification(kind: kind, event: $0, at: now) }
  }

  /// A job has ended, and with it its key is free, unless its window goes on, or another job has it.
  func tellFreed(_ key: JobKey, by job: JobID, at now: Timestamp) throws {
    guard tells(.keyFreed), let holder = try ledger.keyHolder(key.kind, key.key), holder.job == job,
      !holder.isTaken(at: now)
    else { return }
    try tellFreed(FreedKeyRecord(kind: key.kind, text: key.key, job: job), at: now)
  }
}
