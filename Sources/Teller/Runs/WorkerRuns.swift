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
    watchRuns()
  }

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
