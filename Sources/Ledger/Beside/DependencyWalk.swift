package import JobModel

extension LedgerTransaction {
  /// Whether a job waits for another one, by itself or through those it waits for. So a circle is found before it is
  /// closed: what waits for itself waits for ever. Nil when nobody knows: there are more than `limit` jobs to look at.
  package func dependsOn(_ job: JobID, _ other: JobID, limit: Int) throws -> Bool? {
    var seen: Set<JobID> = [job]
    var open = [job]
    while let next = open.popLast() {
      for target in try targets(of: next, limit: limit) where seen.insert(target).inserted {
        if target == other { return true }
        guard seen.count <= limit else { return nil }
        open.append(target)
      }
    }
    return false
  }

  private func targets(of id: JobID, limit: Int) throws -> [JobID] {
    try statements.all(
      "SELECT on_id FROM dependency WHERE job = (SELECT number FROM job WHERE id = ?) LIMIT ?",
      id, limit + 1)
  }
}
