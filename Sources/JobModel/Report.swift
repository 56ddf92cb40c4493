/// The end of one attempt, as its worker tells it. Durable and confirmed: the assignment is acked only after it.
package struct Report: Hashable, Sendable {
  package var release: ReleaseID
  /// Fences: it counts only while it is the job's current token.
  package var token: Int
  package var ledger: LedgerID
  package var worker: WorkerID
  package var kind: JobKind
  package var department: Department
  package var attempt: Int
  /// How long before this report was sent the attempt began; by the worker's monotonic clock.
  package var startedAgo: Duration
  /// How long the handler ran; by the worker's monotonic clock.
  package var ran: Duration
  package var result: AttemptResult

  package init(
    release: ReleaseID, token: Int, ledger: LedgerID, worker: WorkerID, kind: JobKind, department: Department,
    attempt: Int, startedAgo: Duration, ran: Duration, result: AttemptResult
  ) {
    self.release = release
    self.token = token
    self.ledger = ledger
    self.worker = worker
    self.kind = kind
    self.department = department
    self.attempt = attempt
    self.startedAgo = startedAgo
    self.ran = ran
    self.result = result
  }

  package var job: JobID { release.job }

  /// The largest result that a report carries, in bytes; a larger one fails the attempt for good.
  package static let resultLimit = 256 * 1024
}

/// A worker asks whether it may run a delivery that may have been run before.
package struct ClaimRequest: Hashable, Sendable {
  package var release: ReleaseID
  package var ledger: LedgerID
  package var worker: WorkerID
  /// The worker's own number for this claim; the answer repeats it, so that an answer to a claim of an earlier
  /// connection is known as such.
  package var number: Int

  package init(release: ReleaseID, ledger: LedgerID, worker: WorkerID, number: Int) {
    self.release = release
    self.ledger = ledger
    self.worker = worker
    self.number = number
  }
}

/// Everything that travels in `teller.reports`, in this order of arrival and no other.
package enum ReportMessage: Hashable, Sendable {
  case report(Report)
  case claim(ClaimRequest)
  /// The coordinator's message to itself: when it comes back, every earlier report has been recorded.
  case fence(number: Int, ledger: LedgerID)
  /// Nothing that this version understands; the reason is for people.
  case unreadable(String)
}
