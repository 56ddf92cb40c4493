package import JobModel

/// How the jobs and plans ended that retention removed last. A job may still name one of them as one that it waits for.
package enum RemovedJobs {
  /// How many are remembered: about 6 MB.
  package static let limit: Int64 = 100_000
}

extension LedgerTransaction {
  func noteRemoved(_ jobs: [(id: JobID, state: JobState)]) throws {
    for job in jobs {
      try statements.run("INSERT OR REPLACE INTO removed (id, state) VALUES (?, ?)", job.id, job.state)
    }
  }

  /// Those beyond the limit are forgotten, the first that were removed.
  package func forgetRemoved(beyond limit: Int64 = RemovedJobs.limit) throws {
    try statements.run("DELETE FROM removed WHERE number <= (SELECT max(number) FROM removed) - ?", limit)
  }

  /// How a job, or a plan, ended that is not in the ledger any more; nil: nothing is known of it.
  package func removedState(of id: JobID) throws -> JobState? {
    try statements.first("SELECT state FROM removed WHERE id = ?", id)
  }
}
