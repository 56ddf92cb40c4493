package import JobModel

/// A part of what retention looks at: notifications in their order.
package struct RemovalStep: Hashable, Sendable {
  /// How many jobs it removed.
  package var removed: Int
  /// The failed ones of these that nobody had looked after.
  package var unsettled: [Department: Int] = [:]
  /// The notification number after which the next step goes on.
  package var position: Int64
  /// Nothing follows that could be removed: the next round begins at 0.
  package var isLast: Bool
}

extension LedgerTransaction {
  /// Removes what was told before `time` and what every reader of the notifications has read: a job with the
  /// notification of its outcome, and with all that belongs to it; the oldest first. The steps of an open plan stay,
  /// and a job that another one still waits for, or one of whose releases is void: its token tells whose report counts.
  /// The outcome of a job whose key is taken stays with the key. Acceptance and notification numbers are not given
  /// again.
  ///
  /// What ended later than `now` ended under a clock that was ahead: it stays, and keeps none behind it from going. At
  /// most `limit` notifications are looked at, from where the step before this one ended; from 0 in the first step of a
  /// round. The file does not become smaller: it uses the room again.
  package func remove(
    endedBefore time: Timestamp, after position: Int64 = 0, limit: Int, now: Timestamp? = nil
  ) throws -> RemovalStep {
    let step = try remove(after: position, limit) { told in
      if told.at < time { return .old }
      return now.map { told.at > $0 } == true ? .ahead : .young
    }
    try removePhases(finishedBefore: time, limit: limit)
    try removePlans(finishedBefore: time, limit: limit)
    try removeEvents(decidedBefore: time, limit: limit)
    try removeOperations(finishedBefore: time, limit: limit)
    return step
  }

  /// Removes the jobs that ended first, whenever that was: for a ledger that is to use less room. Else as
  /// ``remove(endedBefore:after:limit:)``.
  package func remove(oldest limit: Int, after position: Int64 = 0) throws -> RemovalStep {
    var newest: Timestamp?
    let step = try remove(after: position, limit) { told in
      newest = told.at
      return .old
    }
    if let newest {
      try removePhases(finishedBefore: newest, limit: limit)
      try removePlans(finishedBefore: newest, limit: limit)
      try removeEvents(decidedBefore: newest, limit: limit)
      try removeOperations(finishedBefore: newest, limit: limit)
    }
    return step
  }

  /// How many bytes of the file are in use.
  package func usedBytes() throws -> Int64 {
    let used: Int64? = try statements.first(
      """
      SELECT (page_count - freelist_count) * page_size
      FROM pragma_page_count, pragma_freelist_count, pragma_page_size
      """)
    return try known(used, "its pages cannot be counted")
  }

  private enum Age {
    case old, young
    /// It says nothing of what ended after it.
    case ahead
  }

  /// A notification, and the job whose outcome it tells.
  private struct Told {
    var number: Int64
    var at: Timestamp
    /// Nil: it tells something else.
    var job: (number: Int64, kind: JobKind, key: String?)?
    var isNeeded: Bool
  }

  private func remove(
    after position: Int64, _ limit: Int, age: (Told) -> Age
  ) throws -> RemovalStep {
    let looked = try told(after: position, limit)
    let passed = looked.map { (told: $0, age: age($0)) }.prefix { $0.age != .young }
    try keepNumbers()
    var unsettled: [Department: Int] = [:]
    let removable = passed.filter { $0.age == .old && !$0.told.isNeeded }.map(\.told)
    for told in removable {
      if let job = told.job {
        if let key = job.key { try keepOutcome(of: job.number, kind: job.kind, key: key) }
        if let department = try removeJob(job.number) { unsettled[department, default: 0] += 1 }
      }
      try statements.run("DELETE FROM notification WHERE number = ?", told.number)
    }
    try forgetRemoved()
    return RemovalStep(
      removed: removable.count { $0.job != nil }, unsettled: unsettled,
      position: passed.last?.told.number ?? position, isLast: passed.count < looked.count || looked.count < limit)
  }

  /// - Returns: The department of a failed job that nobody has looked after; nil: it is none.
  private func removeJob(_ number: Int64) throws -> Department? {
    let removed = try statements.first(
      "DELETE FROM job WHERE number = ? RETURNING iif(state = 3 AND settlement IS NULL, department, NULL), id, state",
      number
    ) { (unsettled: try $0[0] as Department?, id: try $0[1] as JobID, state: try $0[2] as JobState) }
    guard let removed else { return nil }
    try noteRemoved([(id: removed.id, state: removed.state)])
    return removed.unsettled
  }

  static let readNotifications = """
    SELECT notification.number, moment, job.number, job.kind, job.key,
      EXISTS (SELECT 1 FROM plan WHERE plan.id = job.plan AND plan.state IS NULL)
        OR EXISTS (SELECT 1 FROM dependency WHERE on_id = job.id)
        OR EXISTS (SELECT 1 FROM void WHERE void.id = job.id)
    FROM notification LEFT JOIN job ON job.id = substr(subject, 2) AND job.seq = notification.number
    WHERE notification.number > ? AND notification.number <= (SELECT min(number) FROM reader)
    ORDER BY notification.number LIMIT ?
    """

  /// What was told first and everybody has read, by the numbers: that needs no index on the time.
  private func told(after position: Int64, _ limit: Int) throws -> [Told] {
    try statements.all(Self.readNotifications, position, limit) { row in
      let number: Int64? = try row[2]
      return Told(
        number: try row[0], at: try row[1], job: try number.map { ($0, try row[3], try row[4]) }, isNeeded: try row[5])
    }
  }

  /// Removes plans without steps that no job waits for; at most `limit` are looked at. The last runs of names stay, and
  /// are no part of the limit: else those that stay would hold up all others.
  private func removePlans(finishedBefore time: Timestamp, limit: Int) throws {
    let removed = try statements.all(
      """
      DELETE FROM plan WHERE number IN (
        SELECT number FROM (
          SELECT number, id FROM plan WHERE state IS NOT NULL AND finished_at < ?
            AND NOT EXISTS (SELECT 1 FROM plan_phase WHERE run = plan.id)
          ORDER BY finished_at, number LIMIT ?) AS old
        WHERE NOT EXISTS (SELECT 1 FROM job WHERE job.plan = old.id)
          AND NOT EXISTS (SELECT 1 FROM dependency WHERE on_id = old.id))
      RETURNING id, state
      """, time, limit
    ) { (id: try $0[0] as JobID, state: try $0[1] as JobState) }
    try noteRemoved(removed)
  }

  /// Numbers of rows that are removed are not given again.
  func keepNumbers() throws {
    let used = try nextNumber() - 1
    try statements.run("UPDATE ledger SET used_number = ?1 WHERE used_number < ?1", used)
  }
}
