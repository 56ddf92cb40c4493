public import JobModel
public import Logging

/// The attempt that a handler is to run, and the job's payload.
public struct JobContext<Payload: Sendable>: Sendable {
  /// The attempt, without its payload.
  public let job: JobInfo
  /// The submitter's payload.
  public let payload: Payload
  /// The same as its submitter wrote it, byte for byte: with the digits of its numbers, and the order of its members. A
  /// ``payload`` has what its type can hold. Empty in a test that gives none.
  public var payloadBytes: [UInt8] = []
  private let given: Logger
  /// Whether `given` is the worker's logger, without the job's metadata. The metadata is added by ``logger``: few handlers
  /// log, and to make it costs more than to run a short handler.
  private var isWorkers = false
  /// From the handler to its worker.
  let line: RunLine

  /// A context for a test that calls a handler.
  ///
  /// `onProgress` is called at each call of ``progress(_:_:)``, as often as the handler calls it.
  public init(
    id: JobID = JobID(), attempt: Int = 1, maxAttempts: Int = 1, kind: JobKind, department: Department,
    priority: Priority = .normal, deadline: ContinuousClock.Instant? = nil, step: StepInfo? = nil,
    contentType: String? = "application/json", headers: [String: String] = [:], payload: Payload,
    logger: Logger = Logger(label: "teller.handler"), onProgress: (@Sendable (RunProgress) -> Void)? = nil
  ) {
    job = JobInfo(
      id: id, attempt: attempt, maxAttempts: maxAttempts, kind: kind, department: department, priority: priority,
      deadline: deadline, step: step, contentType: contentType, headers: headers)
    self.payload = payload
    given = logger
    line = RunLine(progress: onProgress.map(ProgressLine.test))
  }

  /// With the worker's logger.
  init(_ job: JobInfo, payload: Payload, bytes: [UInt8], line: RunLine, logger: Logger) {
    self.job = job
    self.payload = payload
    payloadBytes = bytes
    self.line = line
    given = logger
    isWorkers = true
  }

  /// A logger with ``JobInfo/metadata``. It is made at each call: keep it to log many lines.
  public var logger: Logger {
    guard isWorkers else { return given }
    var logger = given
    for (key, value) in job.metadata { logger[metadataKey: key] = value }
    return logger
  }
}

extension JobContext {
  /// The job's id: the same for all its attempts.
  public var id: JobID { job.id }
  /// The number of the attempt, from 1.
  public var attempt: Int { job.attempt }
  /// How many attempts the job has.
  public var maxAttempts: Int { job.maxAttempts }
  /// The job's kind.
  public var kind: JobKind { job.kind }
  /// The department that serves the job.
  public var department: Department { job.department }
  /// How urgent the job is.
  public var priority: Priority { job.priority }
  /// When the attempt's time limit ends and its task is cancelled; nil: no limit. See ``JobHandler/run(context:)``.
  public var deadline: ContinuousClock.Instant? { job.deadline }
  /// The job's place in a plan; nil: it is of no plan.
  public var step: StepInfo? { job.step }
  /// The content type of the payload, as its submitter named it.
  public var contentType: String? { job.contentType }
  /// The submitter's own headers, and those of its trace. See ``JobSubmission/headers``.
  public var headers: [String: String] { job.headers }

  /// Says how far this run has come, for whoever looks at the job or follows it. It returns at once, fails never, and may be
  /// called on any thread, as often as you like.
  ///
  ///     for (index, page) in pages.enumerated() {
  ///       context.progress(Double(index) / Double(pages.count), "page \(index + 1) of \(pages.count)")
  ///       try await print(page)
  ///     }
  ///
  /// The worker sends the last word of each run, at most once a second, and nothing that has not changed. It is a word
  /// for the present only: nothing of it is recorded, and it is gone when the run ends. So a job that goes on where its
  /// last attempt stopped keeps that place elsewhere.
  ///
  /// - Parameters:
  ///   - fraction: The part that is done, from 0 to 1; beyond these it is cut. If it is no number, the call does nothing.
  ///   - text: For people, on one line, at most ``RunProgress/longestText`` Unicode scalars; the rest is cut.
  public func progress(_ fraction: Double, _ text: String? = nil) {
    guard let progress = line.progress, !fraction.isNaN else { return }
    progress.say(RunProgress(fraction, text))
  }

  /// Ends this run, and has the job run again later. No attempt is used up, and nothing counts as failed.
  ///
  /// - Parameter time: How long to wait at least: from ``JobSnooze/shortest`` to ``JobSnooze/longest``. A job can be
  ///   snoozed ``SnoozeLimits/ofJob`` times.
  /// - Throws: ``JobSnooze``, always.
  public func snooze(for time: Duration) throws -> Never { throw JobSnooze(for: time) }

  /// Ends the job: there is nothing to be done any more. It is cancelled with the code `discarded`, and not tried again.
  ///
  /// A required step of a plan that is discarded stops its plan: there, return as usual.
  ///
  /// - Parameter reason: For people.
  /// - Throws: ``JobDiscard``, always.
  public func discard(_ reason: String) throws -> Never { throw JobDiscard(reason) }
}
