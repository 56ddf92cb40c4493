package import JobModel

/// A part of what retention looks at, in the order of the notifications.
package struct RemovalStep: Hashable, Sendable {
  /// How many jobs it removed.
  package var removed: Int
  /// The notification number after which the next step goes on.
  package var position: Int64
  /// Nothing follows that could be removed: the next round begins at 0.
  package var isLast: Bool

  package init(removed: Int, position: Int64, isLast: Bool) {
    self.removed = removed
    self.position = position
    self.isLast = isLast
  }
}

extension LedgerTransaction {
  /// Removes jobs that ended before `time` and whose notification is in the stream, with all that belongs to them; the
  /// oldest first. The steps of an open plan stay, and a job that another one still waits for, or one of whose releases is
  /// void: its token tells whose report counts. The outcome of a job whose key is taken stays with the key. Acceptance
  /// and notification numbers are not given again.
  ///
  /// What ended later than `now` ended under a clock that was ahead: it stays, and keeps none behind it from going.
  /// At most `limit` jobs are looked at, from where the step before this one ended; from 0 in the first step of a round.
  /// The file does not become smaller: it uses the room again.
  package func remove(
    endedBefore time: Timestamp, after position: Int64 = 0, limit: Int, now: Timestamp? = nil
  ) throws -> RemovalStep {
    let step = try remove(after: position, limit) { job in
      if job.finishedAt < time { return .old }
      return now.map { job.finishedAt > $0 } == true ? .ahead : .young
    }
    try removePlans(finishedBefore: time, limit: limit)
    try removeOperations(finishedBefore: time, limit: limit)
    return step
  }

  /// Removes the jobs that ended first, whenever that was: for a ledger that is to use less room. Else as
  /// ``remove(endedBefore:after:limit:)``.
  package func remove(oldest limit: Int, after position: Int64 = 0) throws -> RemovalStep {
    var newest: Timestamp?
    let step = try remove(after: position, limit) { job in
      newest = job.finishedAt
      return .old
    }
    if let newest {
      try removePlans(finishedBefore: newest, limit: limit)
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
    guard let used else { throw Damage(what: "its pages cannot be counted") }
    return used
  }

  private enum Age {
    case old, young
    /// It says nothing of what ended after it.
    case ahead
  }

  private struct EndedJob {
    var seq: Int64
    var number: Int64
    var finishedAt: Timestamp
    var kind: JobKind
    var key: String?
    var isNeeded: Bool
  }

  private func remove(
    after position: Int64, _ limit: Int, age: (EndedJob) -> Age
  ) throws -> RemovalStep {
    let looked = try ended(after: position, limit)
    let passed = looked.map { (job: $0, age: age($0)) }.prefix { $0.age != .young }
    try keepNumbers()
    let removable = passed.filter { $0.age == .old && !$0.job.isNeeded }.map(\.job)
    for job in removable {
      if let key = job.key { try keepOutcome(of: job.number, kind: job.kind, key: key) }
      try statements.run("DELETE FROM job WHERE number = ?", job.number)
    }
    return RemovalStep(
      removed: removable.count, position: passed.last?.job.seq ?? position,
      isLast: passed.count < looked.count || looked.count < limit)
  }

  static let endedJobs = """
    SELECT seq, number, finished_at, kind, key,
      EXISTS (SELECT 1 FROM plan WHERE plan.id = job.plan AND plan.state IS NULL)
        OR EXISTS (SELECT 1 FROM dependency WHERE on_id = job.id)
        OR EXISTS (SELECT 1 FROM void WHERE void.id = job.id)
    FROM job
    WHERE seq > ? AND seq <= (SELECT sent_seq FROM ledger) ORDER BY seq LIMIT ?
    """

  /// The jobs that ended first, in the order of their notifications: that needs no index on the time.
  private func ended(after position: Int64, _ limit: Int) throws -> [EndedJob] {
    try statements.all(Self.endedJobs, position, limit) { cells in
      EndedJob(
        seq: try cells[0], number: try cells[1], finishedAt: try cells[2],
        kind: try cells[3], key: try cells[4], isNeeded: try cells[5])
    }
  }

  /// Removes plans without steps that no job waits for; at most `limit` are looked at.
  private func removePlans(finishedBefore time: Timestamp, limit: Int) throws {
    try statements.run(
      """
      DELETE FROM plan WHERE number IN (
        SELECT number FROM (
          SELECT number, id FROM plan WHERE state IS NOT NULL AND finished_at < ?
          ORDER BY finished_at, number LIMIT ?) AS old
        WHERE NOT EXISTS (SELECT 1 FROM job WHERE job.plan = old.id)
          AND NOT EXISTS (SELECT 1 FROM dependency WHERE on_id = old.id))
      """, time, limit)
  }

  private func keepNumbers() throws {
    let used = try nextNumber() - 1
    try statements.run("UPDATE ledger SET used_number = ?1 WHERE used_number < ?1", used)
  }
}
