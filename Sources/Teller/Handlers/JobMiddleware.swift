/// Runs around every handler of a worker: for a service that collects errors, a measurement, a lock, a transaction.
///
///     struct ReportErrors: JobMiddleware {
///       func run(_ job: JobInfo, next: @Sendable () async throws -> JobOutput) async throws -> JobOutput {
///         do { return try await next() } catch where !(error is JobSnooze || error is JobDiscard) {
///           await service.capture(error, tags: ["job": "\(job.id)", "kind": "\(job.kind)"])
///           throw error
///         }
///       }
///     }
///
/// It is added by ``Worker/use(_:)``. For failures alone ``Worker/onFailure(_:)`` is shorter.
public protocol JobMiddleware: Sendable {
  /// Runs around one attempt, in the handler's task and on the handler's thread. Its time counts for the attempt's limit.
  ///
  /// - Parameters:
  ///   - job: The attempt. `JobInfo.current` has it, too.
  ///   - next: Reads the payload, runs the handler, and the middlewares that were added later. A middleware that does not
  ///     call it must throw.
  /// - Returns: The output of `next`.
  /// - Throws: The error of `next`, or another one: the attempt fails with it, as if the handler had thrown it.
  func run(_ job: JobInfo, next: @Sendable () async throws -> JobOutput) async throws -> JobOutput
}

/// The output of a handler, as its job's result.
public struct JobOutput: Hashable, Sendable {
  /// The bytes; usually JSON.
  public let bytes: [UInt8]
  /// The content type of the bytes.
  public let contentType: String?

  /// An output, for a test that calls a middleware.
  public init(bytes: [UInt8] = [], contentType: String? = "application/json") {
    (self.bytes, self.contentType) = (bytes, contentType)
  }
}

/// The middlewares of a worker, in the order in which they were added: the first is the outermost.
struct JobMiddlewares: Sendable {
  private var all: [any JobMiddleware] = []

  mutating func append(_ middleware: any JobMiddleware) { all.append(middleware) }

  func run(_ job: JobInfo, _ handler: @Sendable () async throws -> JobOutput) async throws -> JobOutput {
    try await run(job, from: 0, handler)
  }

  private func run(
    _ job: JobInfo, from index: Int, _ handler: @Sendable () async throws -> JobOutput
  ) async throws -> JobOutput {
    guard index < all.count else { return try await handler() }
    return try await all[index].run(job) { try await run(job, from: index + 1, handler) }
  }
}
