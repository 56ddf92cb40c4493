package import JobModel

extension LedgerTransaction {
  /// When each entry of the schedule last made a job, by its name.
  package func lastFired() throws -> [String: Timestamp] {
    let rows: [(String, Timestamp)] = try statements.all("SELECT name, last FROM schedule") { (try $0[0], try $0[1]) }
    return Dictionary(rows, uniquingKeysWith: { first, _ in first })
  }

  /// An entry of the schedule made its job of that time: in the transaction that accepts the job, so that there is one.
  package func setFired(_ name: String, _ time: Timestamp) throws {
    try statements.run(
      "INSERT INTO schedule (name, last) VALUES (?, ?) ON CONFLICT DO UPDATE SET last = excluded.last",
      name, time)
  }
}
