import Hosting
import JobModel
import JobTransport
import Logging
import Tracing

/// Runs one job in its handler, on the threads of its department's handlers.
struct JobRun: Sendable {
  var assignment: Assignment
  var handler: RegisteredHandler?
  /// Why the assignment cannot be run; nil: it was read.
  var problem: String?
  /// How long the coordinator's file lets jobs of this kind wait between attempts; nil: it does not say.
  var retry: RetrySettings?
  var middlewares: JobMiddlewares
  var failureHooks: FailureHooks
  /// Nil: nobody traces.
  var tracing: JobTracing?
  /// Nil: nobody measures.
  var metrics: RunMetrics?
  /// Nil: there is no service.
  var services: HostedServices?
  /// Takes in how far the run has come.
  var progress: ProgressBoard
  /// Lends the teller of a handler that waits for another job.
  var lender: (any TellerLender)?
  /// The worker's logger.
  var logger: Logger

  /// How long the attempt may run; nil: as long as it takes.
  private var limit: Duration? { assignment.timeout ?? policy?.timeout }

  private var maxAttempts: Int {
    assignment.maxAttempts ?? policy?.attempts ?? Submission.defaultMaxAttempts
  }

  private var policy: HandlerPolicy? { handler?.policy(in: assignment.department) }

  /// Starts the job at once. This cannot fail: every error becomes the run's result. `limitPassed` is called when the time
  /// limit has passed and the job still runs; never on the handlers' threads, which may all be blocked.
  func start(
    on threads: HandlerThreads, into finished: FinishedRuns,
    limitPassed: @escaping @Sendable (RunControl, Duration) async -> Void
  ) -> RunControl {
    let control = RunControl()
    let task = Task.detached(executorPreference: threads) {
      guard control.begin() else { return }
      FaultPoint.reached("worker.handler-started")
      let startedAt = ContinuousClock.now
      metrics?.begin()
      // Detached: the timer does not take over the executor of this task.
      let timer = limit.map { limit in
        Task.detached { if (try? await Task.sleep(for: limit)) != nil { await limitPassed(control, limit) } }
      }
      let job = JobInfo(assignment, maxAttempts: maxAttempts, deadline: limit.map { startedAt + $0 })
      services?.jobStarted(HostedJob(job))
      let (end, context) = await runTraced(job, control)
      control.handlerReturned()
      timer?.cancel()
      let ran = startedAt.duration(to: .now)
      metrics?.end(HostedJobEnd.Result(end.result, end.reason), after: ran)
      services?.jobEnded(HostedJobEnd(HostedJob(job), end.result, end.reason, ran: ran))
      let hint = end.hint(policy?.hint(afterAttempt: job.attempt, random: .random(in: 0...1)))
      if case .unsuccessful(let result, let error, let reason) = end {
        let failed = log(job, result, error, reason, hint)
        if let failed { await failureHooks.call(failed, in: context, on: threads, logger: logger) }
      }
      finished.append(
        FinishedAttempt(
          release: assignment.release, token: assignment.token, ledger: assignment.ledger, startedAt: startedAt,
          ran: ran, result: end.result, hint: hint))
    }
    control.attach(task)
    return control
  }

  private enum End {
    case succeeded(JobOutput)
    /// With the reason why the run was cancelled, if it was by then.
    case unsuccessful(AttemptResult, any Error, RunControl.Reason?)

    var result: AttemptResult {
      switch self {
      case .succeeded(let output): .succeeded(result: output.bytes, contentType: output.contentType)
      case .unsuccessful(let result, _, _): result
      }
    }

    /// What the report says of the next attempt: the handler's policy, and what it has thrown.
    func hint(_ policy: RetryHint?) -> RetryHint? {
      guard case .unsuccessful(.failed, let error as RetryLater, nil) = self else { return policy }
      var hint = policy ?? RetryHint()
      (hint.atLeast, hint.pausesDepartment) = (error.time, error.pausesDepartment)
      return hint
    }

    var reason: RunControl.Reason? {
      guard case .unsuccessful(_, _, let reason) = self else { return nil }
      return reason
    }

    /// The error of an attempt that failed; nil also for one that was stopped because its job has ended.
    var failure: (any Error)? {
      switch self {
      case .succeeded, .unsuccessful(_, _, .jobEnded), .unsuccessful(_, _, .closed): nil
      case .unsuccessful(.failed, let error, _): error
      case .unsuccessful: nil
      }
    }
  }

  /// - Returns: also the context of the attempt's span.
  private func runTraced(_ job: JobInfo, _ control: RunControl) async -> (End, ServiceContext?) {
    guard let tracing else { return (await run(job, control), nil) }
    return await tracing.run(job, acceptedAt: assignment.acceptedAt) {
      let end = await run(job, control)
      return ((end, ServiceContext.current), failure: end.failure)
    }
  }

  private func run(_ job: JobInfo, _ control: RunControl) async -> End {
    do {
      // A job without a handler is given back before it comes here.
      guard let handler, problem == nil else { throw JobFailure.unreadable(problem ?? "it has no handler") }
      // Cancelled while the job waited for a thread: the handler does not begin.
      if control.reason != nil { throw CancellationError() }
      let run = RunningRelease(release: assignment.release, token: assignment.token)
      let line = RunLine(progress: .worker(progress, run), lender: lender, release: assignment.release)
      return .succeeded(
        try await JobInfo.$current.withValue(job) {
          try await middlewares.run(job) { try await handler.run(job, assignment.content.payload, line, logger) }
        })
    } catch {
      let reason = control.reason
      return .unsuccessful(AttemptResult(thrown: error, cancelled: reason), error, reason)
    }
  }

  /// Logs an attempt that did not succeed.
  ///
  /// - Returns: what the hooks are told of; nil: the attempt has not failed.
  private func log(
    _ job: JobInfo, _ result: AttemptResult, _ error: any Error, _ reason: RunControl.Reason?, _ hint: RetryHint?
  ) -> FailedAttempt? {
    let usual = (retry ?? RetrySettings()).delay(afterAttempt: job.attempt, random: RetrySettings.middleOfJitter)
    let note = AttemptNote(
      job, result, error, cancelled: reason,
      wait: max(retry == nil ? hint?.wait ?? usual : usual, hint?.atLeast ?? .zero))
    logger.log(level: note.level, "\(note.text)", metadata: job.metadata)
    return note.failed
  }
}

extension AttemptResult {
  /// The result of an attempt whose handler threw an error. After a cancellation any error has the cancellation as cause.
  init(thrown error: any Error, cancelled reason: RunControl.Reason?) {
    switch (reason, error) {
    case (.timeout(let limit), _): self = .failed(.timeout(limit), isPermanent: false)
    case (.jobEnded, _): self = .failed(.cancelled(by: "the coordinator"), isPermanent: false)
    case (_, let error as PermanentFailure):
      self = .failed(JobFailure(code: error.code, message: error.message), isPermanent: true)
    case (_, let error as RetryLater):
      self = .failed(JobFailure(code: error.code, message: error.message), isPermanent: false)
    case (_, let error as JobSnooze): self = .snoozed(error.time)
    case (_, let error as JobDiscard): self = .discarded(error.failure)
    // Not permanent: a worker of another version may read what this one cannot.
    case (_, let error as JobFailure): self = .failed(error, isPermanent: false)
    default:
      let failure = JobFailure(code: JobFailure.Code.handlerError, message: String(describing: error))
      self = .failed(failure, isPermanent: false)
    }
  }
}

extension JobFailure {
  /// The worker could not read the assignment.
  static func unreadable(_ problem: String) -> JobFailure {
    JobFailure(
      code: Code.unreadable,
      message:
        "the worker cannot read its assignment: \(problem); look whether worker and coordinator are of one version")
  }
}
