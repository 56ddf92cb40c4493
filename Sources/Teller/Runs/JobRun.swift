import JobModel
import JobTransport
import Logging

/// Runs one job in its handler, on the handlers' threads.
struct JobRun: Sendable {
  var assignment: Assignment
  var handler: RegisteredHandler?
  /// Why the assignment cannot be run; nil: it was read.
  var problem: String?
  /// The worker's logger.
  var logger: Logger

  /// Starts the job at once. This cannot fail: every error becomes the run's result. `limitPassed` is called when the time
  /// limit has passed and the job still runs; never on the handlers' threads, which may all be blocked.
  func start(
    on threads: HandlerThreads, into finished: FinishedRuns,
    limitPassed: @escaping @Sendable (RunControl, Duration) async -> Void
  ) -> RunControl {
    let control = RunControl()
    let task = Task.detached(executorPreference: threads) {
      FaultPoint.reached("worker.handler-started")
      let startedAt = ContinuousClock.now
      // Detached: the timer does not take over the executor of this task.
      let timer = assignment.timeout.map { limit in
        Task.detached { if (try? await Task.sleep(for: limit)) != nil { await limitPassed(control, limit) } }
      }
      let result = await run(from: startedAt, control)
      timer?.cancel()
      let ran = startedAt.duration(to: .now)
      finished.append(
        FinishedAttempt(
          release: assignment.release, token: assignment.token, ledger: assignment.ledger, startedAt: startedAt,
          ran: ran, result: result))
    }
    control.attach(task)
    return control
  }

  private func run(from start: ContinuousClock.Instant, _ control: RunControl) async -> AttemptResult {
    // Not permanent: a worker of the coordinator's version may read the assignment.
    if let problem { return .failed(.unreadable(problem), isPermanent: false) }
    // A job without a handler is given back before it comes here.
    guard let handler else { return .failed(.unreadable("it has no handler"), isPermanent: false) }
    // Cancelled while the job waited for a thread: the handler does not begin.
    if let reason = control.reason { return AttemptResult(thrown: CancellationError(), cancelled: reason) }
    let deadline = assignment.timeout.map { start + $0 }
    return await handler.run(
      RunningAttempt(assignment: assignment, deadline: deadline, control: control, logger: logger))
  }
}

extension JobFailure {
  /// The worker could not read the assignment.
  static func unreadable(_ problem: String) -> JobFailure {
    JobFailure(
      code: "unreadable",
      message:
        "the worker cannot read its assignment: \(problem); look whether worker and coordinator are of one version")
  }
}
