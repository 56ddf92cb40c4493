package import Foundation
package import JobModel

extension LedgerTransaction {
  /// How many actions are kept, however long jobs are kept.
  package static var actionLimit: Int64 { 100_000 }

  /// Records what a command did. A command that comes again, by its id, is recorded once; another command by the same id is
  /// one more: nobody hides what he does behind an earlier command.
  package func addActions(_ actions: [OperatorAction], command: UUID?) throws {
    for action in actions { _ = try add(action, command) }
    try removeTooMany()
  }

  /// The same of one action.
  ///
  /// - Returns: The action as it is recorded; the first one, if the command comes again.
  package func addAction(_ action: OperatorAction, command: UUID?) throws -> OperatorAction {
    let number = try add(action, command)
    try removeTooMany()
    return try known(self.action(number: number), "action \(number) is not there")
  }

  /// Gives the action's number.
  private func add(_ action: OperatorAction, _ command: UUID?) throws -> Int64 {
    if let command, let number = try number(of: action, by: command) { return number }
    let number: Int64? = try statements.first(
      """
      INSERT INTO action (at, action, by_name, user, job, department, kind, name, detail, operation, command)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      RETURNING number
      """, action.at, action.action, action.by, action.user, action.job, action.department, action.kind, action.name,
      action.detail, action.operation, command)
    return try known(number, "an action without a number")
  }

  private func removeTooMany() throws {
    try statements.run(
      "DELETE FROM action WHERE number <= (SELECT max(number) FROM action) - ?", LedgerTransaction.actionLimit)
  }

  /// The number by which a command has recorded the action; nil: it has not.
  private func number(of action: OperatorAction, by command: UUID) throws -> Int64? {
    try statements.first(
      """
      SELECT number FROM action INDEXED BY action_command
      WHERE command = ? AND action = ? AND by_name IS ? AND user IS ? AND job IS ? AND department IS ? AND kind IS ?
        AND name IS ? AND detail IS ?
      """, command, action.action, action.by, action.user, action.job, action.department, action.kind, action.name,
      action.detail)
  }

  /// Removes actions before `time`, at most `limit`.
  func removeActions(before time: Timestamp, limit: Int) throws {
    try statements.run(
      "DELETE FROM action WHERE number IN (SELECT number FROM action WHERE at < ? ORDER BY at, number LIMIT ?)", time,
      limit)
  }

  /// The departments that were busy when this was written, and since when.
  package func busyTimes() throws -> [Department: Timestamp] {
    try statements.dictionary("SELECT department, since FROM busy_time")
  }

  /// Writes since when a department is busy; nil: it is not.
  package func setBusy(_ department: Department, since: Timestamp?) throws {
    guard let since else { return _ = try statements.run("DELETE FROM busy_time WHERE department = ?", department) }
    try statements.run("INSERT OR REPLACE INTO busy_time (department, since) VALUES (?, ?)", department, since)
  }
}

extension LedgerReading {
  /// The actions that pass a query, the newest first.
  package func actions(_ query: ActionQuery) throws -> [OperatorAction] {
    let before = query.before ?? .max
    if let job = query.job { return try actions("WHERE job = ? AND number < ?", job, before, limit: query.limit) }
    return try actions("WHERE number < ?", before, limit: query.limit)
  }

  /// The action of that number; nil: it is not kept.
  package func action(number: Int64) throws -> OperatorAction? {
    try actions("WHERE number = ?", number, limit: 1).first
  }

  /// The action that began an operation; nil: it is not recorded.
  package func action(of operation: JobOperation.ID) throws -> OperatorAction? {
    try actions("WHERE operation = ?", operation, limit: 1).first
  }

  /// The action about many jobs that has replayed or dropped a failed job, as far as that can be told: the first one behind
  /// the end of the job whose filter the job passes.
  ///
  /// `isMeant` says whether the job passes what narrows an operation beside department and kind: a filter has moments of the
  /// wall clock, and the ledger does not know how far that one is from its own time.
  package func settlingAction(of job: Job, isMeant: (JobNarrowing) -> Bool) throws -> OperatorAction? {
    guard let settlement = job.settlement, settlement != .handled, let end = job.finishedAt else { return nil }
    let action = settlement == .dropped ? OperationRecord.Action.drop : .replay
    // Those about that department and kind, that department, that kind, and all jobs.
    let operations = try [job.department, nil].flatMap { department in
      try [job.kind, nil].compactMap { kind in
        try firstOperation(isMeant, action, department, kind, end, job.number)
      }
    }
    return try operations.min().flatMap(self.action(of:))
  }

  /// The first operation that has the parameters of ``SettlingOperations/all``, and means the job.
  private func firstOperation<each Value: Cell>(
    _ isMeant: (JobNarrowing) -> Bool, _ values: repeat each Value
  ) throws -> Int64? {
    var first: Int64?
    try statements[SettlingOperations.all].each({ bindings in repeat bindings.add(each values) }) { row in
      if let narrowing = try row[1] as JobNarrowing?, !isMeant(narrowing) { return true }
      first = try row[0]
      return false
    }
    return first
  }

  private func actions<each Value: Cell>(
    _ condition: String, _ values: repeat each Value, limit: Int
  ) throws -> [OperatorAction] {
    try statements.all(
      """
      SELECT number, action, at, by_name, user, job, department, kind, name, detail, operation FROM action
      \(condition) ORDER BY number DESC LIMIT ?
      """, repeat each values, limit
    ) { row in
      OperatorAction(
        number: try row[0], action: try row[1], at: try row[2], by: try row[3], user: try row[4], job: try row[5],
        department: try row[6], kind: try row[7], name: try row[8], detail: try row[9], operation: try row[10])
    }
  }
}

enum SettlingOperations {
  /// Those that began behind the job's end, and have come to the job's number or further. No index knows whether the job
  /// passes their filter, so they are looked at one by one, up to the first that it passes.
  static let all = """
    SELECT id, filter FROM operation INDEXED BY operation_started
    WHERE action = ? AND department IS ? AND kind IS ? AND started_at >= ? AND position >= ?
    ORDER BY started_at, id
    """
}

extension OperatorName: Cell {
  var stored: String { name }

  init(stored: String) throws { self = try known(OperatorName(stored), "the operator's name \(stored)") }
}
