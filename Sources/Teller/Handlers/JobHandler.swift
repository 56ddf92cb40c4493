package import Logging

/// Runs the jobs of one kind: a small type, written by the user of the library and registered with a ``Worker``.
///
///     struct Deposit: JobHandler {
///       static let kind: JobKind = "deposit"
///       struct Payload: Codable, Sendable { var account: String; var cents: Int }
///       struct Output: Codable, Sendable { var balance: Int }
///
///       func run(context: JobContext<Payload>) async throws -> Output {
///         Output(balance: try await book(context.payload, once: context.id))
///       }
///     }
///
/// A job may run more than once: its worker may die, or be out of contact for too long. The handler can know a job that ran
/// before by `context.id`, which is the same for all attempts. A job submitted with one attempt runs at most once.
///
/// Many jobs of the same handler run at the same time, one per teller of their department.
public protocol JobHandler<Payload, Output>: Sendable {
  /// The submitter's payload, read from JSON. An empty payload is read as an object without members.
  ///
  /// Swift writes a `Date` as seconds since 2001, which no other language does. Where another one submits, or reads the
  /// result, take a `String` or a number of your own meaning.
  associatedtype Payload: Codable & Sendable
  /// The result for the submitter, written as JSON of at most 256 KiB; ``NoResult`` for a handler without a result.
  associatedtype Output: Codable & Sendable

  /// The kind of job that this handler runs; a worker has one handler per kind.
  static var kind: JobKind { get }

  /// How often its jobs are tried, how long they wait in between, and how long an attempt may run; unless the submission
  /// or the coordinator's `teller.yaml` says otherwise. By default it says nothing.
  static var policy: HandlerPolicy { get }

  /// Runs a job.
  ///
  /// The handler's task is cancelled when the job's time limit has passed (`context.deadline`), or when the job is
  /// cancelled while it runs. A cancellation is a request: most calls that can be awaited, such as `Task.sleep`, throw
  /// then; a long computation looks at `Task.isCancelled` or calls `try Task.checkCancellation()` from time to time.
  ///
  /// | after the cancellation the handler | the attempt |
  /// |---|---|
  /// | throws any error | has failed with the code `timeout` or `cancelled`, and the job may be tried again |
  /// | returns | has succeeded, and the result counts |
  /// | does neither within ``WorkerTimeouts/grace`` | is reported as stuck, and keeps its teller until it ends |
  ///
  /// | it throws | the job |
  /// |---|---|
  /// | any error | is tried again while it has attempts left; the code is `handler_error`, the message its description |
  /// | a `JobFailure` | the same, with that code and message |
  /// | ``PermanentFailure`` | has failed |
  /// | ``RetryLater`` | is tried again while it has attempts left, and not before a time; its department may be paused |
  /// | ``JobSnooze``, by ``JobContext/snooze(for:)`` | runs again after that time, and no attempt is used up |
  /// | ``JobDiscard``, by ``JobContext/discard(_:)`` | is cancelled, with the reason |
  ///
  /// The worker logs each failed attempt, with the error.
  ///
  /// - Returns: The job's result.
  /// - Throws: As the table says.
  func run(context: JobContext<Payload>) async throws -> Output
}

extension JobHandler {
  /// The handler does not say how its jobs are tried.
  public static var policy: HandlerPolicy { HandlerPolicy() }
}

extension JobHandler {
  /// Runs one attempt here, as a worker runs it: payload bytes in, the result's bytes out.
  package func runOnce(
    _ job: JobInfo, payload: [UInt8], onProgress: (@Sendable (RunProgress) -> Void)? = nil, logger: Logger
  ) async throws -> JobOutput {
    try await JobInfo.$current.withValue(job) {
      try await RegisteredHandler(self).run(job, payload, RunLine(progress: onProgress.map(ProgressLine.test)), logger)
    }
  }
}

/// The output of a handler without a result.
public struct NoResult: Codable, Hashable, Sendable {
  /// No result.
  public init() {}
}
