import JobModel
import JobTransport
import Logging

/// Runs one job in its handler, on the handlers' threads.
struct JobRun: Sendable {
  var assignment: Assignment
  var handler: RegisteredHandler?
  /// Why it cannot be run, whatever its handler.
  var problem: String?
  /// The worker's.
  var logger: Logger

  /// Starts it at once. It cannot fail: whatever happens becomes its result. `limitPassed` is called once its time limit
  /// has passed, if it still runs then; never on the handlers' threads, which may all be blocked.
  func start(
    on threads: HandlerThreads, into finished: FinishedRuns,
    limitPassed: @escaping @Sendable (RunControl, Duration) async -> Void
  ) -> RunControl {
    let control = RunControl()
    let task = Task.detached(executorPreference: threads) {
      FaultPoint.reached("worker.handler-started")
      let startedAt = ContinuousClock.now
      // A detached task takes no executor over from the one that makes it.
      let timer = assignment.timeout.map { limit in
        Task.detached { if (try? await pause(for: limit)) != nil { await limitPassed(control, limit) } }
      }
      let result = await run(from: startedAt, control)
      timer?.cancel()
      let ran = startedAt.duration(to: .now)
      finished.append(FinishedRun(release: assignment.release, startedAt: startedAt, ran: ran, result: result))
    }
    control.attach(task)
    return control
  }

  private func run(from start: ContinuousClock.Instant, _ control: RunControl) async -> AttemptResult {
    // Another worker, of the coordinator's version, may read it.
    if let problem { return .failed(.unreadable(problem), isPermanent: false) }
    // What has no handler is given back before it comes here.
    guard let handler else { return .failed(.unreadable("it has no handler"), isPermanent: false) }
    // Cancelled while it waited for a thread: its handler is not begun.
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
