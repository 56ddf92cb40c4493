package import JobModel

/// A job that is released and has not ended, as the coordinator's memory holds it; without its payload.
package struct LiveJob: Sendable {
  package let number: Int64
  package let id: JobID
  package let kind: JobKind
  package let plan: JobID?
  package let timeout: Duration?
  package let startBy: Timestamp?
  /// Its place in the window, and the queue of its message.
  package var place: WindowPlace
  package var order: OrderKey?
  package var standing: Standing
  package var progress: JobProgress
  package var reply: ReplyAddress?
  /// The time of its release, for people, and for its ageing.
  package var releasedAt: Timestamp
  /// When its message was published last, or is about to be published, on the session's clock. Of a release from before
  /// this process began: when its first session began.
  package var since: Duration
  /// The priority of its message: its own, or more after a long wait.
  package var releasePriority: Priority
  /// Whether ``releasePriority`` is that of the message; a restarted coordinator does not know that.
  package var isLevelKnown = true
  /// A worker without a handler for it has given it back.
  package var isReturned = false
  /// The broker has confirmed the current release.
  package var isConfirmed = false
  /// Its worker, and since when it is known to run; nil: no worker is known to run it.
  package var run: Run?
  /// Its message is acked though it still runs: only the lease of this worker governs it.
  package var adoptedBy: WorkerID?

  /// A run as the coordinator has heard of it.
  package struct Run: Hashable, Sendable {
    package var worker: WorkerID
    package var since: Timestamp
    /// The last number that the claims had used by then.
    package var number: Int

    package init(worker: WorkerID, since: Timestamp, number: Int) {
      (self.worker, self.since, self.number) = (worker, since, number)
    }
  }

  /// A job of the ledger, with its place and its release.
  package init(
    _ job: Job, _ place: WindowPlace, standing: Standing, releasedAt: Timestamp, since: Duration,
    releasePriority: Priority
  ) {
    self.init(
      job.number, job.id, job.kind, place, plan: job.plan, order: job.order, standing: standing, timeout: job.timeout,
      startBy: job.startBy, progress: job.progress, reply: job.reply, releasedAt: releasedAt, since: since,
      releasePriority: releasePriority)
  }

  package init(
    _ number: Int64, _ id: JobID, _ kind: JobKind, _ place: WindowPlace, plan: JobID?, order: OrderKey?,
    standing: Standing, timeout: Duration?, startBy: Timestamp?, progress: JobProgress, reply: ReplyAddress?,
    releasedAt: Timestamp, since: Duration, releasePriority: Priority
  ) {
    (self.number, self.id, self.kind, self.place) = (number, id, kind, place)
    (self.plan, self.order, self.standing) = (plan, order, standing)
    (self.timeout, self.startBy) = (timeout, startBy)
    (self.progress, self.reply) = (progress, reply)
    (self.releasedAt, self.since, self.releasePriority) = (releasedAt, since, releasePriority)
  }

  package var department: Department { place.queue.department }
  package var priority: Priority { place.priority }
  /// Where its message is.
  package var queue: JobQueue { place.queue }
  package var release: ReleaseID { ReleaseID(job: id, number: progress.release) }
  package var identity: JobIdentity { JobIdentity(id: id, kind: kind, department: department) }

  /// Whether no worker has begun it, though it had to begin by now.
  package func isTooLate(at now: Timestamp, wasStarted: Bool) -> Bool {
    guard let startBy, !progress.hasBegun, !wasStarted else { return false }
    return startBy <= now
  }

  /// The assignment that publishes its release. With `mustClaim`, and always when it was running at a death, its worker
  /// asks first, so that its start is recorded before it runs.
  package func assignment(
    of ledger: LedgerID, epoch: Int, _ content: JobContent, mustClaim: Bool = false
  ) -> Assignment {
    Assignment(
      release: release, token: progress.token, ledger: ledger, epoch: epoch, kind: kind, department: department,
      isBeside: place.isBeside, priority: releasePriority, attempt: progress.attempt, maxAttempts: progress.maxAttempts,
      mustClaim: mustClaim || progress.deaths > 0, timeout: timeout, payload: content.payload,
      contentType: content.contentType, trace: content.trace)
  }
}
