package import JobModel

/// A job to be recorded.
package struct NewJob: Hashable, Sendable {
  package var id: JobID
  package var kind: JobKind
  package var department: Department
  package var priority: Priority
  package var content: JobContent
  /// Held, or queued already with its token and release.
  package var progress: JobProgress
  /// Nil outside ordered departments.
  package var order: OrderPlace?
  package var plan: JobID?
  package var step: String?
  /// It is not released before.
  package var notBefore: Timestamp?
  /// Whether ``notBefore`` and ``startBy`` are moments of the wall clock; else they are of the ledger's time.
  package var isByClock: Bool
  /// The jobs it waits for that have not ended, each once.
  package var dependencies: [Dependency]
  /// If no attempt has begun by then, it fails instead.
  package var startBy: Timestamp?
  /// How long one attempt may run.
  package var timeout: Duration?
  package var key: String?
  /// The job that this one is a replay of.
  package var againOf: JobID?
  /// Where it stands among the held jobs of its department.
  package var standing: Standing
  package var reply: ReplyAddress?
  /// By the submitter's clock.
  package var submittedAt: Timestamp?
  package var acceptedAt: Timestamp
  /// Nil while it is held.
  package var releasedAt: Timestamp?

  /// Its standing follows from its times and its priority; `levelWorth` is how much waiting one level of that is worth.
  /// `readyAt` is `notBefore` in the ledger's time, where that is a moment of the wall clock.
  package init(
    id: JobID, kind: JobKind, department: Department, priority: Priority = .normal,
    content: JobContent = JobContent(), progress: JobProgress, order: OrderPlace? = nil, plan: JobID? = nil,
    step: String? = nil, notBefore: Timestamp? = nil, isByClock: Bool = false, readyAt: Timestamp? = nil,
    dependencies: [Dependency] = [], startBy: Timestamp? = nil,
    timeout: Duration? = nil, key: String? = nil, againOf: JobID? = nil, levelWorth: Duration = Standing.levelWorth,
    reply: ReplyAddress? = nil, submittedAt: Timestamp? = nil,
    acceptedAt: Timestamp, releasedAt: Timestamp? = nil
  ) {
    (self.id, self.kind, self.department, self.priority, self.content) = (id, kind, department, priority, content)
    (self.progress, self.order, self.plan, self.step, self.notBefore) = (progress, order, plan, step, notBefore)
    (self.isByClock, self.dependencies, self.startBy, self.timeout) = (isByClock, dependencies, startBy, timeout)
    (self.key, self.againOf) = (key, againOf)
    standing = Standing(
      readyAt: max(acceptedAt, readyAt ?? notBefore ?? acceptedAt), priority: priority, worth: levelWorth)
    (self.reply, self.submittedAt, self.acceptedAt, self.releasedAt) = (reply, submittedAt, acceptedAt, releasedAt)
  }
}

/// A place in an ordered department, as it is known before the job has its acceptance number.
package struct OrderPlace: Hashable, Sendable {
  /// The acceptance number of the plan it joins; nil: its own number, so that it follows everything accepted before.
  package var plan: Int64?
  package var rank: Int
  package var position: Int

  package init(plan: Int64?, rank: Int, position: Int) {
    self.plan = plan
    self.rank = rank
    self.position = position
  }

  /// The place of a job of that acceptance number.
  package func key(number: Int64) -> OrderKey {
    OrderKey(plan: plan ?? number, rank: rank, position: position)
  }
}

/// What became of a job, or of a plan, that was to be recorded.
package enum Acceptance<Known: Hashable & Sendable>: Hashable, Sendable {
  /// It is recorded, with this acceptance number.
  case new(number: Int64)
  /// One of that id was there already; nothing was changed.
  case known(Known)
}
