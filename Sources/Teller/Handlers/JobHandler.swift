/// How the jobs of one kind are done: a small type, written by the user of the library and registered with a ``Worker``.
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
/// A job may run more than once: its worker may die, or be out of contact for too long. `context.id` stays the same
/// over all attempts, so that a handler can tell; a job submitted with one attempt runs at most once.
///
/// Many jobs of the same handler run at the same time, one per teller of their department.
public protocol JobHandler<Payload, Output>: Sendable {
  /// What the submitter sends, as JSON. Empty payloads are read as an object without members.
  associatedtype Payload: Codable & Sendable
  /// What the submitter gets back, as JSON of at most 256 KiB; ``NoResult`` for handlers that have nothing to say.
  associatedtype Output: Codable & Sendable

  /// The kind of job that this handler is for; a worker has one handler per kind.
  static var kind: JobKind { get }

  /// Does the job.
  ///
  /// Its task is cancelled when the job's time limit has passed (`context.deadline`), or when the job is cancelled while
  /// it runs. Cancelling is asking, not force: most of what can be awaited, such as `Task.sleep`, throws then; what
  /// computes for long looks at `Task.isCancelled` or calls `try Task.checkCancellation()` from time to time. A handler
  /// that then throws, whatever it throws, has failed with the code `timeout` or `cancelled`, and may be tried again. One
  /// that returns has done its job, and its result counts. One that does neither within its grace
  /// (``WorkerTimeouts/grace``) is reported as stuck, and keeps its teller until it ends.
  ///
  /// - Throws: whatever failed. The job is tried again while it has attempts left, except after a ``PermanentFailure``.
  ///   A thrown `JobFailure` keeps its code and message; any other error gets the code `handler_error` and its
  ///   description as message.
  func run(context: JobContext<Payload>) async throws -> Output
}

/// The output of a handler that has nothing to say but that it is done.
public struct NoResult: Codable, Hashable, Sendable {
  /// Nothing.
  public init() {}
}

/// Thrown by a handler when trying again cannot help: the job fails at once, whatever attempts it has left.
public struct PermanentFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A short, stable word for programs.
  public let code: String
  /// What happened and what to do about it, for people.
  public let message: String

  /// A failure with its code (at most `JobFailure.longestCode` characters are kept) and its message (at most
  /// `JobFailure.longestMessage`).
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// Code and message.
  public var description: String { "\(code): \(message)" }
}
