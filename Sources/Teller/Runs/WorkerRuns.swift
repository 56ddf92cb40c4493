import AMQP
import AsyncAlgorithms
import Decisions
import JobModel
import JobTransport
import Logging

/// The runs of handlers: their start, their announcement to watches, and their end.
extension WorkerLoop {
  func start(_ release: ReleaseID, token: Int, attempt: Int) {
    guard let job = jobs[release] else { return }
    job.assignment.attempt = attempt
    job.assignment.token = token
    job.startedAt = .now
    let kind = job.assignment.kind
    let run = JobRun(
      assignment: job.assignment, handler: registry.handlers[kind], problem: job.problem, retry: retries[kind],
      middlewares: registry.middlewares,
      failureHooks: FailureHooks(all: registry.failureHooks, limit: timeouts.failureHooks), tracing: tracing,
      metrics: metrics?.runs(of: kind, in: job.department), services: services,
      progress: progress, lender: self, logger: logger)
    job.run = run.start(on: threads[job.department], into: finishedRuns) { [weak self] control, limit in
      await self?.timeLimitPassed(of: release, control, limit)
    }
    job.assignment.content.payload = []
    if let shortage = threads[job.department].shortage, shortage.isTotal { giveUp(job, of: release, shortage) }
    watchRuns()
  }

  /// Ends the attempts that have waited for a thread for too long, while none can be started; and says so once. Others of
  /// their department run on.
  func lookForThreads() {
    threads.tryAgain()
    let shortages = threads.shortages
    logShortages(shortages)
    let now = ContinuousClock.now
    for (release, job) in jobs {
      guard let shortage = shortages[job.department], let startedAt = job.startedAt else { continue }
      if shortage.isTotal || now - startedAt >= WorkerLoop.threadPatience { giveUp(job, of: release, shortage) }
    }
  }

  private func giveUp(_ job: JobInHand, of release: ReleaseID, _ shortage: HandlerThreads.Shortage) {
    guard let run = job.run, run.giveUp() else { return }
    logShortages([job.department: shortage])
    let assignment = job.assignment
    let policy = registry.handlers[assignment.kind]?.policy(in: assignment.department)
    var hint = policy?.hint(afterAttempt: assignment.attempt) ?? RetryHint()
    hint.atLeast = WorkerLoop.shortagePause
    finishedRuns.append(
      FinishedAttempt(
        release: release, token: assignment.token, ledger: assignment.ledger, startedAt: job.startedAt ?? .now,
        ran: .zero, result: .failed(.noThread(shortage.reason), isPermanent: false), hint: hint))
  }

  private func logShortages(_ shortages: [Department: HandlerThreads.Shortage]) {
    let isNew = starved.isEmpty && !shortages.isEmpty
    if isNew, let (department, shortage) = shortages.min(by: { $0.key.name < $1.key.name }) {
      logger.error(
        """
        no thread can be started for handlers of \(department): \(shortage.reason); attempts without one fail until \
        it can
        """)
    }
    if !starved.isEmpty, shortages.isEmpty { logger.notice("threads for handlers can be started again") }
    starved = Set(shortages.keys)
  }

  /// How long an attempt waits for a thread of its department while no further one can be started.
  static let threadPatience: Duration = .seconds(10)
  /// How long a job waits at least whose attempt had no thread: for its worker to recover, or for another one to be free.
  static let shortagePause: Duration = .seconds(10)

  /// Starts the timer for announcements: one for all running jobs, none while no job runs.
  private func watchRuns() {
    guard watch == nil else { return }
    watch = Task {
      for await _ in AsyncTimerSequence(interval: WorkerLoop.startedAfter, clock: .continuous) {
        await announceRuns()
        if hasNothingToAnnounce {
          watch = nil
          return
        }
      }
    }
  }

  private var hasNothingToAnnounce: Bool {
    !jobs.values.contains { !$0.isAnnounced && $0.startedAt != nil }
  }

  private func announceRuns() async {
    // Only running jobs are announced.
    takeFinishedRuns()
    let now = ContinuousClock.now
    for (release, job) in jobs where !job.isAnnounced {
      guard let startedAt = job.startedAt, now - startedAt >= WorkerLoop.startedAfter else { continue }
      job.isAnnounced = true
      await announce(release, job)
    }
  }

  private func announce(_ release: ReleaseID, _ job: JobInHand) async {
    guard let link else { return }
    let started = Started(
      worker: worker, release: release, token: job.assignment.token, kind: job.assignment.kind,
      department: job.assignment.department, attempt: job.assignment.attempt)
    do {
      try await link.publishing.publish(PresenceCodec.encode(started))
    } catch {
      // The session logs the loss of the connection. No task waits for this message.
      logger.debug("a started message was not sent: \(error)")
    }
  }
}

extension JobFailure {
  /// The worker's process can have no further thread.
  fileprivate static func noThread(_ reason: String) -> JobFailure {
    JobFailure(
      code: Code.noThread,
      message:
        "its worker can start no thread for it: \(reason); look at the limits of its process, machine or container")
  }
}
