package import JobModel

extension LedgerTransaction {
  /// Records what a plan has to tell: the stream carries it as it is here. Not for the outcome of a job:
  /// ``finish(_:_:_:startedAt:finishedAt:ran:by:attempt:of:)`` tells that.
  ///
  /// - Returns: the notification with its number.
  package func notify(_ notification: Notification, about subject: NotificationSubject) throws -> Notification {
    let record = try notify(
      notification.event, about: subject, body: NotificationBody.text(notification), at: notification.at)
    var notification = notification
    notification.seq = record.number
    return notification
  }

  /// Records what happened to something, and what there is to say beyond that. The stream carries only a body that is a
  /// notification: see ``notify(_:about:)``.
  package func notify(
    _ event: String, about subject: NotificationSubject, body: String? = nil, at time: Timestamp
  ) throws -> NotificationRecord {
    let (number, epoch) = try nextNotification()
    try statements[.notify].run { row in
      row.add(number)
      row.add(epoch)
      row.add(time)
      row.add(event)
      row.add(subject)
      row.add(body)
    }
    useNotification(number)
    return NotificationRecord(number: number, epoch: epoch, at: time, event: event, subject: subject, body: body)
  }

  /// The notification of the outcome that a job has already.
  func toldOutcome(of number: Int64) throws -> Notification {
    let told = try statements.first(
      """
      SELECT \(OutcomeRow.columns) FROM job JOIN notification ON notification.number = seq
      LEFT JOIN plan ON plan.id = job.plan WHERE job.number = ?
      """,
      number, decode: OutcomeRow.notification)
    guard let told else { throw LedgerError.unknown(number) }
    return told
  }
}

extension HotStatement {
  static let notify = HotStatement(
    "INSERT INTO notification (number, epoch, moment, event, subject, body) VALUES (?, ?, ?, ?, ?, ?)")
}

extension LedgerReading {
  /// Notifications that the stream carries, from a number on, in sequence, sent or not.
  func streamed(from number: Int64, limit: Int) throws -> [Notification] {
    let outcomes = try notifications(from: number, limit: limit)
    let others = try statements.all(
      "SELECT number, body FROM notification WHERE number >= ? AND body IS NOT NULL ORDER BY number LIMIT ?",
      number, limit
    ) { try NotificationBody.notification(try $0[1], number: try $0[0]) }
    let all = (outcomes + others.compactMap(\.self)).sorted { ($0.seq ?? 0) < ($1.seq ?? 0) }
    return Array(all.prefix(limit))
  }

  /// Notifications of outcomes from a number on, in sequence, sent or not. Those whose jobs were removed are missing.
  package func notifications(from number: Int64, limit: Int) throws -> [Notification] {
    try statements.all(
      "SELECT \(OutcomeRow.columns) FROM \(OutcomeRow.sourceWithPlan) WHERE notification.number >= ? ORDER BY 1 LIMIT ?",
      number, limit, decode: OutcomeRow.notification)
  }

  /// Notifications of all events from a number on, in sequence, sent or not.
  package func allNotifications(from number: Int64, limit: Int) throws -> [NotificationRecord] {
    try statements.all(
      """
      SELECT number, epoch, moment, event, subject, body FROM notification WHERE number >= ? ORDER BY number LIMIT ?
      """, number, limit
    ) { row in
      NotificationRecord(
        number: try row[0], epoch: try row[1], at: try row[2], event: try row[3], subject: try row[4],
        body: try row[5])
    }
  }
}

/// How the notification of an outcome is read. What it says stands in the job's row, which does not change any more and
/// goes with it: a body would be written for every job, and say the same.
enum OutcomeRow {
  static let columns = """
    notification.number, job.id, kind, job.department, event, attempt, moment, started_at, ran_us, job.error_code,
    job.error_message, step, key, plan.name
    """
  /// The notifications of outcomes, each with its job.
  static let source = "notification CROSS JOIN job ON job.id = substr(subject, 2) AND seq = notification.number"
  /// The same, each with the plan whose step the job is.
  static let sourceWithPlan = "\(source) LEFT JOIN plan ON plan.id = job.plan"

  static func notification(_ row: Cells) throws -> Notification {
    let at: Timestamp = try row[6]
    return Notification(
      seq: try row[0], job: try row[1], kind: try row[2], department: try row[3], event: try row[4],
      attempt: try row[5], at: at, startedAgoMs: (try row[7] as Timestamp?).map { at.milliseconds(since: $0) },
      runMs: (try row[8] as Int64?).map { Duration.microseconds($0).milliseconds },
      error: JobFailure(code: try row[9], message: try row[10]), plan: try row[13], name: try row[11], key: try row[12])
  }
}
