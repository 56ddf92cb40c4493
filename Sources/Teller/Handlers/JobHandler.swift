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
  associatedtype Payload: Codable & Sendable
  /// The result for the submitter, written as JSON of at most 256 KiB; ``NoResult`` for a handler without a result.
  associatedtype Output: Codable & Sendable

  /// The kind of job that this handler runs; a worker has one handler per kind.
  static var kind: JobKind { get }

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
  /// - Returns: The job's result.
  /// - Throws: The failure. The job is tried again while it has attempts left, except after a ``PermanentFailure``. A
  ///   `JobFailure` keeps its code and message. Any other error has the code `handler_error` and its description.
  func run(context: JobContext<Payload>) async throws -> Output
}

/// The output of a handler without a result.
public struct NoResult: Codable, Hashable, Sendable {
  /// No result.
  public init() {}
}

/// Thrown by a handler when another attempt cannot help: the job fails at once, even if it has attempts left.
public struct PermanentFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A short, stable word for programs.
  public let code: String
  /// For people: what happened, and what to do about it.
  public let message: String

  /// A failure. At most `JobFailure.longestCode` and `JobFailure.longestMessage` characters are kept.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// Code and message.
  public var description: String { "\(code): \(message)" }
}
