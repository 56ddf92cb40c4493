package import JobModel

extension LedgerReading {
  /// How far the firings of each schedule are done, by its name.
  package func scheduleMarks() throws -> [String: ScheduleMark] {
    var marks: [String: ScheduleMark] = [:]
    try statements.each("SELECT name, last, identity FROM schedule") { row in
      marks[try row[0]] = ScheduleMark(last: try row[1], identity: try row[2])
    }
    return marks
  }
}

extension LedgerTransaction {
  /// The firings of a schedule are done up to a time: in the transaction that accepts their jobs, so that each is one.
  package func setMark(_ mark: ScheduleMark, of name: String) throws {
    try statements.run(
      """
      INSERT INTO schedule (name, last, identity) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET last = excluded.last, identity = excluded.identity
      """, name, mark.last, mark.identity)
  }

  /// There is no such schedule any more: one of that name is new.
  package func forgetSchedule(_ name: String) throws {
    try statements.run("DELETE FROM schedule WHERE name = ?", name)
  }
}
