package import JobModel

/// A page of jobs, newest first: the answer of `jobs`.
package struct JobsDocument: AnswerDocument {
  package var jobs: [JobDocument]
  /// The `before` of the next page; nil when there is none.
  package var next: Int64?

  package init(jobs: [JobDocument], next: Int64?) {
    self.jobs = jobs
    self.next = next
  }

  /// Leaves the last half to the next page.
  package mutating func shorten() -> Bool {
    guard jobs.count > 1 else { return false }
    jobs.removeLast(jobs.count / 2)
    next = jobs.last?.number
    return true
  }
}

/// The outcomes of jobs: the answer of `wait`. Each id of the request is in exactly one list.
package struct WaitDocument: AnswerDocument {
  /// The jobs that have their outcome.
  package var finished: [JobDocument]
  /// The jobs that have no outcome yet.
  package var pending: [JobID]
  /// The jobs that the ledger does not have.
  package var unknown: [JobID]
  /// The jobs with an outcome that did not fit into one message: to be asked for again.
  package var omitted: [JobID]

  package init(finished: [JobDocument], pending: [JobID], unknown: [JobID] = [], omitted: [JobID] = []) {
    self.finished = finished
    self.pending = pending
    self.unknown = unknown
    self.omitted = omitted
  }

  /// Omits the last half of the outcomes.
  package mutating func shorten() -> Bool {
    guard finished.count > 1 else { return false }
    omitted += finished.suffix(finished.count / 2).map(\.id)
    finished.removeLast(finished.count / 2)
    return true
  }
}
