package import JobModel

/// A page of jobs, newest first, as `jobs` answers it.
package struct JobsDocument: Hashable, Sendable, Codable {
  package var jobs: [JobDocument]
  /// What to ask with as `before` for the jobs that follow; nil when none do.
  package var next: Int64?

  package init(jobs: [JobDocument], next: Int64?) {
    self.jobs = jobs
    self.next = next
  }

  /// Leaves the later half to the next page.
  ///
  /// - Returns: whether there was anything to leave.
  mutating func shorten() -> Bool {
    guard jobs.count > 1 else { return false }
    jobs.removeLast(jobs.count / 2)
    next = jobs.last?.number
    return true
  }
}

/// What became of jobs, as `wait` answers it. Each id that was asked for is in exactly one of the lists.
package struct WaitDocument: Hashable, Sendable, Codable {
  /// Those that have their outcome.
  package var finished: [JobDocument]
  /// Those that have none yet.
  package var pending: [JobID]
  /// Those that the ledger does not have.
  package var unknown: [JobID]
  /// Those that have their outcome and did not fit into one message: to be asked for again.
  package var omitted: [JobID]

  package init(finished: [JobDocument], pending: [JobID], unknown: [JobID] = [], omitted: [JobID] = []) {
    self.finished = finished
    self.pending = pending
    self.unknown = unknown
    self.omitted = omitted
  }

  /// Omits the later half.
  ///
  /// - Returns: whether there was anything to omit.
  mutating func shorten() -> Bool {
    guard finished.count > 1 else { return false }
    omitted += finished.suffix(finished.count / 2).map(\.id)
    finished.removeLast(finished.count / 2)
    return true
  }
}
