package import JobModel

/// Which worker was told last to run a job. It is recorded before the worker is told.
package struct GrantRecord: Hashable, Sendable {
  package var worker: WorkerID
  package var at: Timestamp
  /// The last number that the claims had used then.
  package var number: Int

  package init(worker: WorkerID, at time: Timestamp, number: Int) {
    (self.worker, at, self.number) = (worker, time, number)
  }
}

extension LedgerTransaction {
  /// Records to whom a job was granted. The grant is one of the job's present release if the job's token is above the
  /// number of that release.
  package func record(_ grant: GrantRecord, of number: Int64) throws {
    try statements.run(
      "UPDATE job SET granted_to = ?, granted_at = ?, granted_number = ? WHERE number = ?",
      grant.worker, grant.at, grant.number, number)
  }

  /// Forgets of every worker since when it has been waited for. So nobody concludes from it that a job which was
  /// granted before was not started.
  func forgetWelcomes() throws {
    try statements.run("UPDATE worker SET welcomed_number = NULL")
  }
}
