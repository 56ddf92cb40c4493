package import JobModel

/// A job to be recorded.
package struct NewJob: Hashable, Sendable {
  /// The job: held, or queued already with its token and release. Its number and its place in the order follow when it is
  /// recorded.
  package var job: Job
  package var content: JobContent
  /// Nil outside ordered departments.
  package var order: OrderPlace?
  /// The jobs it waits for that have not ended, each once.
  package var dependencies: [Dependency] = []
  /// Where it stands among the held jobs of its department.
  package let standing: Standing

  /// Its standing follows from its times and its priority; `levelWorth` is how much waiting one level of that is worth.
  /// `readyAt` is `notBefore` in the ledger's time, where that is a moment of the wall clock.
  package init(
    _ job: Job, content: JobContent = JobContent(), order: OrderPlace? = nil, readyAt: Timestamp? = nil,
    levelWorth: Duration = Standing.levelWorth
  ) {
    (self.job, self.content, self.order) = (job, content, order)
    let readyAt = max(job.acceptedAt, readyAt ?? job.notBefore ?? job.acceptedAt)
    standing = Standing(readyAt: readyAt, priority: job.priority, worth: levelWorth)
  }

  /// The job as it is recorded under an acceptance number.
  package func job(number: Int64) -> Job {
    var job = job
    (job.number, job.order) = (number, order?.key(number: number))
    job.openDependencies = dependencies.isEmpty ? 0 : openTargets.count
    return job
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
