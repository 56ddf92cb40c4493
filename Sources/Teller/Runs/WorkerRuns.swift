import AMQP
import AsyncAlgorithms
import JobModel
import JobTransport
import Logging

/// The runs of handlers: their start, their announcement to watches, and their end.
extension WorkerLoop {
  func start(_ start: WorkerStart) {
    let (assignment, release) = (start.assignment, start.assignment.release)
    let kind = assignment.kind
    let run = JobRun(
      assignment: assignment, handler: registry.handlers[kind], problem: start.problem, retry: start.retry,
      middlewares: registry.middlewares,
      failureHooks: FailureHooks(all: registry.failureHooks, limit: timeouts.failureHooks), tracing: tracing,
      metrics: metrics?.runs(of: kind, in: start.department), services: services,
      progress: progress, lender: self, logger: logger)
    let control = run.start(on: threads[start.department], into: finishedRuns) { [weak self] control, limit in
      await self?.timeLimitPassed(of: release, control, limit)
    }
    var kept = start
    kept.assignment.content.payload = []
    let running = RunningHandler(start: kept, control: control, startedAt: .now)
    runs[release] = running
    if let shortage = threads[start.department].shortage, shortage.isTotal { giveUp(running, shortage) }
    watchRuns()
  }

  /// Takes in finished runs, for as long as the worker lives.
  func collectRuns() async {
    for await _ in finishedRuns.signal.raised { takeFinishedRuns() }
  }

  func takeFinishedRuns() {
    let finished = finishedRuns.takeAll()
    guard !finished.isEmpty else { return }
    for run in finished { runs.removeValue(forKey: run.release)?.grace?.cancel() }
    take(.finished(finished))
  }

  /// Starts the timer for announcements: one for all running jobs, none while no job runs.
  private func watchRuns() {
    guard watch == nil else { return }
    watch = Task {
      for await _ in AsyncTimerSequence(interval: WorkerState.startedAfter, clock: .continuous) {
        await announceRuns()
        if !state.hasRunsToAnnounce {
          watch = nil
          return
        }
      }
    }
  }

  private func announceRuns() async {
    // Only running jobs are announced.
    takeFinishedRuns()
    for started in state.takeAnnouncements(at: .now) { await announce(started) }
  }

  private func announce(_ started: Started) async {
    guard let link else { return }
    do {
      try await link.publishing.publish(PresenceCodec.encode(started))
    } catch {
      // The session logs the loss of the connection. No task waits for this message.
      logger.debug("a started message was not sent: \(error)")
    }
  }
}
