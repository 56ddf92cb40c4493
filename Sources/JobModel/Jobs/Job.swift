/// A job as the ledger keeps it, without its payload.
package struct Job: Hashable, Sendable {
  /// The acceptance number: jobs are accepted in this order. 0: it is not recorded.
  package var number: Int64
  package var id: JobID
  package var kind: JobKind
  package var department: Department
  package var priority: Priority
  package var progress: JobProgress
  /// Nil outside ordered departments.
  package var order: OrderKey?
  package var plan: JobID?
  package var step: String?
  /// Of a plan's job: which run of its step it is, from 1; 0: it acts on an event, whose name is the step's.
  package var round: Int?
  /// While it is held: it is not released before, because it is scheduled, or because its last attempt failed.
  package var notBefore: Timestamp?
  /// Whether ``notBefore`` and ``startBy`` are moments of the wall clock; else they are of the ledger's time.
  package var isByClock: Bool
  /// Its time came between the backup and the restore of the ledger, so it may have run already: it is held until an
  /// operator accepts or drops it. ``notBefore`` is that time.
  package var isRestored = false
  /// How many of the jobs it waits for have not ended.
  package var openDependencies: Int
  /// While it is held, and waits for no time and no other job: why it is not ready all the same.
  package var withheld: Withheld?
  /// If no attempt has begun by then, it fails instead.
  package var startBy: Timestamp?
  /// How long one attempt may run.
  package var timeout: Duration?
  package var key: String?
  /// The job that this one is a replay of.
  package var againOf: JobID?
  /// What became of a failed job afterwards; nil while nobody has looked after it.
  package var settlement: Settlement?
  package var reply: ReplyAddress?
  package var submittedAt: Timestamp?
  package var acceptedAt: Timestamp
  /// Of the last release.
  package var releasedAt: Timestamp?
  /// Of the attempt that ended the job.
  package var startedAt: Timestamp?
  package var finishedAt: Timestamp?
  package var ran: Duration?
  package var outcome: Outcome?

  package init(
    number: Int64, id: JobID, kind: JobKind, department: Department, priority: Priority, progress: JobProgress,
    order: OrderKey? = nil, plan: JobID? = nil, step: String? = nil, round: Int? = nil, notBefore: Timestamp? = nil,
    isByClock: Bool = false, openDependencies: Int = 0, withheld: Withheld? = nil, startBy: Timestamp? = nil,
    timeout: Duration? = nil, key: String? = nil,
    againOf: JobID? = nil, settlement: Settlement? = nil, reply: ReplyAddress? = nil, submittedAt: Timestamp? = nil,
    acceptedAt: Timestamp, releasedAt: Timestamp? = nil, startedAt: Timestamp? = nil,
    finishedAt: Timestamp? = nil, ran: Duration? = nil, outcome: Outcome? = nil
  ) {
    self.number = number
    self.id = id
    self.kind = kind
    self.department = department
    self.priority = priority
    self.progress = progress
    self.order = order
    self.plan = plan
    self.step = step
    self.round = round
    self.notBefore = notBefore
    self.isByClock = isByClock
    self.openDependencies = openDependencies
    self.withheld = withheld
    self.startBy = startBy
    self.timeout = timeout
    self.key = key
    self.againOf = againOf
    self.settlement = settlement
    self.reply = reply
    self.submittedAt = submittedAt
    self.acceptedAt = acceptedAt
    self.releasedAt = releasedAt
    self.startedAt = startedAt
    self.finishedAt = finishedAt
    self.ran = ran
    self.outcome = outcome
  }

  package var identity: JobIdentity {
    JobIdentity(id: id, kind: kind, department: department, step: step, key: key)
  }
}

/// What became of a failed job after it had failed.
package enum Settlement: Hashable, Sendable {
  /// It was submitted again, as that job.
  case replayed(JobID)
  /// Somebody decided that nothing is to be done.
  case dropped
  /// Its plan was ready for the failure: the step is optional, or the plan went back.
  case handled
}
