/// One line of the notification stream: an outcome, or a change for those who watch.
package struct Notification: Hashable, Sendable, Codable {
  /// Grows by one with each recorded event; nil for what is only relayed live.
  package var seq: Int64?
  /// The job, the plan or the event of a plan; nil: it is about something else.
  package var job: JobID?
  package var kind: JobKind?
  package var department: Department?
  /// `succeeded`, `failed`, `cancelled` of jobs and plans; of plans: ``PlanNews``; the others: ``OptionalEvent``; live:
  /// `started`, `progress`.
  package var event: String
  /// The last attempt of a job; of what a plan tells always 1; nil: it is not about a job.
  package var attempt: Int?
  /// Milliseconds since 1970 by the coordinator's clock.
  package var at: Timestamp
  package var startedAgoMs: Int64?
  package var runMs: Int64?
  package var error: JobFailure?
  /// The plan's name, of what a plan with a name has to tell.
  package var plan: PlanName?
  /// The name of the step or of the event, of a plan's jobs and of what a plan tells; of a rule, of what became of it; of
  /// a message that was parked.
  package var name: String?
  /// The key with which the job was submitted.
  package var key: String?
  /// When an attempt that has failed is tried again; nil: at once, or it is about something else.
  package var retryAt: Timestamp?
  /// Of the event `progress`, from 0 to 1.
  package var progress: Double?
  /// The handler's own word beside `progress`.
  package var text: String?

  package init(
    seq: Int64? = nil, job: JobID? = nil, kind: JobKind? = nil, department: Department? = nil, event: String,
    attempt: Int? = nil, at: Timestamp, startedAgoMs: Int64? = nil, runMs: Int64? = nil, error: JobFailure? = nil,
    plan: PlanName? = nil, name: String? = nil, key: String? = nil, retryAt: Timestamp? = nil, progress: Double? = nil,
    text: String? = nil
  ) {
    self.seq = seq
    self.job = job
    self.kind = kind
    self.department = department
    self.event = event
    self.attempt = attempt
    self.at = at
    self.startedAgoMs = startedAgoMs
    self.runMs = runMs
    self.error = error
    self.plan = plan
    self.name = name
    self.key = key
    self.retryAt = retryAt
    self.progress = progress
    self.text = text
  }

  enum CodingKeys: String, CodingKey {
    case seq, job, kind, department, event, attempt, at, error, plan, name, key, progress, text
    case startedAgoMs = "started_ago_ms"
    case runMs = "run_ms"
    case retryAt = "retry_at"
  }
}

/// How far a ledger has come with its notifications; a later epoch is further than any earlier one.
package struct NotificationPosition: Hashable, Sendable, Comparable {
  package var epoch: Int
  /// The number of the last notification; 0 before the first.
  package var seq: Int64

  package init(epoch: Int, seq: Int64) {
    self.epoch = epoch
    self.seq = seq
  }

  package static func < (one: NotificationPosition, other: NotificationPosition) -> Bool {
    (one.epoch, one.seq) < (other.epoch, other.seq)
  }
}

/// A batch of recorded notifications, as one message of the stream carries it.
package struct NotificationBatch: Hashable, Sendable {
  package var ledger: LedgerID
  /// A ledger that was rolled back begins a new epoch instead of using numbers again.
  package var epoch: Int
  /// In sequence, without gaps; not empty.
  package var notifications: [Notification]

  package init(ledger: LedgerID, epoch: Int, notifications: [Notification]) {
    self.ledger = ledger
    self.epoch = epoch
    self.notifications = notifications
  }

  /// The same in two batches; empty: it has one notification.
  package var halves: [NotificationBatch] {
    guard notifications.count > 1 else { return [] }
    let middle = notifications.count / 2
    return [notifications[..<middle], notifications[middle...]].map {
      NotificationBatch(ledger: ledger, epoch: epoch, notifications: Array($0))
    }
  }
}
