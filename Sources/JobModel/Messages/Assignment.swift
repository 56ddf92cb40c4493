/// A released job on its way to a teller: one message in a department's queue.
package struct Assignment: Hashable, Sendable {
  package var release: ReleaseID
  package var token: Int
  package var ledger: LedgerID
  /// Of the ledger, when it was released: what an earlier epoch released must be claimed.
  package var epoch: Int
  package var kind: JobKind
  package var department: Department
  /// It is for the queue of its kind, beside the department's.
  package var isBeside: Bool
  package var priority: Priority
  /// The attempt this run would be, from 1.
  package var attempt: Int
  /// As the submission or the coordinator's file says it; nil: the worker's handler may say it.
  package var maxAttempts: Int?
  /// Nil: the job is of no plan.
  package var step: StepInfo?
  /// Published a second time, because nobody knows whether the first arrived: to be claimed before it runs.
  package var mustClaim: Bool
  /// By the ledger's clock: what was released before its consumer began must be claimed. Nil: nobody has said, and it must.
  package var releasedAt: Timestamp?
  /// How long the attempt may run; nil: as long as it takes.
  package var timeout: Duration?
  package var content: JobContent
  /// When the job was accepted, by the coordinator's wall clock; only for a job that carries headers or a trace.
  package var acceptedAt: Timestamp?

  package init(
    release: ReleaseID, token: Int, ledger: LedgerID, epoch: Int, kind: JobKind, department: Department,
    isBeside: Bool = false, priority: Priority, attempt: Int, maxAttempts: Int?, step: StepInfo? = nil, mustClaim: Bool,
    releasedAt: Timestamp? = nil, timeout: Duration?, content: JobContent, acceptedAt: Timestamp? = nil
  ) {
    self.releasedAt = releasedAt
    self.release = release
    self.token = token
    self.ledger = ledger
    self.epoch = epoch
    self.kind = kind
    self.department = department
    self.isBeside = isBeside
    self.priority = priority
    self.attempt = attempt
    self.maxAttempts = maxAttempts
    self.step = step
    self.mustClaim = mustClaim
    self.timeout = timeout
    self.content = content
    self.acceptedAt = acceptedAt
  }

  /// The id of the job.
  package var job: JobID { release.job }
  /// The queue it is for.
  package var queue: JobQueue { JobQueue(department, kind: isBeside ? kind : nil) }
}
