package import JobModel

extension LedgerTransaction {
  /// What was written of the ledger's clock; nil in a ledger that never had one.
  package func clock() throws -> LedgerClock.Record? { try LedgerClock.Record(statements) }

  /// Writes down where the ledger's clock stands.
  package func saveClock(_ record: LedgerClock.Record) throws {
    try statements.run(
      "INSERT OR REPLACE INTO clock (only, time, lead, boot, uptime, trial_end) VALUES (1, ?, ?, ?, ?, ?)",
      record.time, record.lead.milliseconds, record.uptime?.boot,
      record.uptime?.age.milliseconds, record.trialEnd)
  }
}

extension LedgerClock.Record {
  /// nil: the ledger never had a clock.
  init?(_ statements: Statements) throws {
    let record = try statements.first("SELECT time, lead, boot, uptime, trial_end FROM clock") { cells in
      let (boot, age) = (try cells[2] as String?, try cells[3] as Int64?)
      let uptime: Uptime? = boot.flatMap { boot in age.map { Uptime(boot: boot, age: .milliseconds($0)) } }
      return LedgerClock.Record(
        time: try cells[0], lead: .milliseconds(try cells[1] as Int64), uptime: uptime,
        trialEnd: try cells[4])
    }
    guard let record else { return nil }
    self = record
  }
}
