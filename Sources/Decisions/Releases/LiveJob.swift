package import JobModel

/// A job that is released and has not ended, as the coordinator's memory holds it; without its payload.
package struct LiveJob: Sendable {
  package let number: Int64
  package let id: JobID
  package let kind: JobKind
  package let plan: JobID?
  /// Nil: the job is of no plan.
  package let step: StepInfo?
  package let key: String?
  package let timeout: Duration?
  package let startBy: Timestamp?
  /// By the ledger's time.
  package let acceptedAt: Timestamp
  /// The place of the release in the window, and the queue of its message.
  package var place: WindowPlace
  package var order: OrderKey?
  package var standing: Standing
  package var progress: JobProgress
  package var reply: ReplyAddress?
  /// The time of its release, for people, and for its ageing.
  package var releasedAt: Timestamp
  /// When the message was published last, or is about to be published, on the session's clock. For a release that is
  /// older than this process: when the first session of this process began.
  package var since: Duration
  /// When a worker last claimed the release, or listed it as one that it is going to claim, on the session's clock: it had
  /// the message then; nil: none has.
  package var claimedAt: Duration?
  /// The priority of the message: the job's own, or a higher one after a long wait.
  package var releasePriority: Priority
  /// Whether ``releasePriority`` is known to be the priority of the message. After a restart it is not known.
  package var isLevelKnown = true
  /// A worker without a handler for the job has given the release back.
  package var isReturned = false
  /// The worker that had the message is gone: that explains why the message is.
  package var hasLostWorker = false
  /// The broker has confirmed the current release.
  package var isConfirmed = false
  /// The worker that runs the job, and since when; nil: no worker is known to run the job.
  package var run: Run?
  /// The worker that acked the message while the job still runs: only the lease of this worker governs the job.
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
    (number, id, kind, plan, step, key) = (job.number, job.id, job.kind, job.plan, job.stepInfo, job.key)
    (timeout, startBy, acceptedAt, reply) = (job.timeout, job.startBy, job.acceptedAt, job.reply)
    (self.place, order, self.standing, progress) = (place, job.order, standing, job.progress)
    (self.releasedAt, self.since, self.releasePriority) = (releasedAt, since, releasePriority)
  }

  /// When there was a message of the release for certain, on the session's clock: published, or in a worker's hands.
  var lastSign: Duration { max(since, claimedAt ?? since) }

  package var department: Department { place.queue.department }
  package var priority: Priority { place.priority }
  /// The queue in which the message lies.
  package var queue: JobQueue { place.queue }
  package var release: ReleaseID { ReleaseID(job: id, number: progress.release) }
  package var identity: JobIdentity {
    JobIdentity(id: id, kind: kind, department: department, step: step?.name, key: key)
  }

  /// Whether no worker has begun it, though it had to begin by now.
  package func isTooLate(at now: Timestamp, wasStarted: Bool) -> Bool {
    guard let startBy, !progress.hasBegun, !wasStarted else { return false }
    return startBy <= now
  }

  /// The assignment that publishes the release. With `mustClaim` the worker asks before it runs the job. It also asks
  /// when the job was running at the death of a worker: the start is recorded before the job runs. `acceptedAt`: by the
  /// wall clock, if the worker is to know it.
  package func assignment(
    of ledger: LedgerID, epoch: Int, _ content: JobContent, mustClaim: Bool = false, acceptedAt: Timestamp? = nil
  ) -> Assignment {
    Assignment(
      release: release, token: progress.token, ledger: ledger, epoch: epoch, kind: kind, department: department,
      isBeside: place.isBeside, priority: releasePriority, attempt: progress.attempt,
      maxAttempts: progress.saidAttempts, step: step,
      mustClaim: mustClaim || progress.deaths > 0, releasedAt: releasedAt, timeout: timeout, content: content,
      acceptedAt: acceptedAt)
  }
}
