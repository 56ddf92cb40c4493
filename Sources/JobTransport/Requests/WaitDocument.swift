package import JobModel

/// The outcomes of jobs: the answer of `wait`. Each id of the request is in exactly one list.
package struct WaitDocument: AnswerDocument {
  /// The jobs that have their outcome.
  package var finished: [JobRecord]
  /// The jobs that have no outcome yet.
  package var pending: [JobID]
  /// The jobs that the ledger does not have.
  package var unknown: [JobID]
  /// The jobs with an outcome that did not fit into one message: to be asked for again.
  package var omitted: [JobID]

  package init(finished: [JobRecord], pending: [JobID], unknown: [JobID] = [], omitted: [JobID] = []) {
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
