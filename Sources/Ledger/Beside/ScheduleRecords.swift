package import JobModel

extension LedgerReading {
  /// Up to when the firings of each entry of the schedule are done, by its name.
  package func lastFired() throws -> [String: Timestamp] {
    try statements.dictionary("SELECT name, last FROM schedule")
  }
}

extension LedgerTransaction {
  /// An entry of the schedule made its job of that time: in the transaction that accepts the job, so that there is one.
  package func setFired(_ name: String, _ time: Timestamp) throws {
    try statements.run(
      "INSERT INTO schedule (name, last) VALUES (?, ?) ON CONFLICT DO UPDATE SET last = excluded.last",
      name, time)
  }
}
