import JobModel
import Logging
import Synchronization

/// A handler without its types: payload bytes in, the job's result out.
struct RegisteredHandler: Sendable {
  let kind: JobKind
  let policy: HandlerPolicy
  let run: @Sendable (_ job: JobInfo, _ payload: [UInt8], ProgressLine?, Logger) async throws -> JobOutput

  init<Handler: JobHandler>(_ handler: Handler) {
    kind = Handler.kind
    policy = Handler.policy
    run = { job, bytes, progress, logger in
      let payload = try PayloadReader.read(Handler.Payload.self, from: bytes)
      return try ResultWriter.write(
        try await handler.run(context: JobContext(job, payload: payload, progress: progress, logger: logger)))
    }
  }
}

/// Everything of the user's that a worker runs: its handlers by kind, and what runs around and after them.
struct HandlerRegistry: Sendable {
  private(set) var handlers: [JobKind: RegisteredHandler] = [:]
  private(set) var registeredTwice: Set<JobKind> = []
  private(set) var middlewares = JobMiddlewares()
  private(set) var failureHooks: [@Sendable (FailedAttempt) async -> Void] = []

  /// Adds a handler. Of two handlers of a kind the first stays; ``registeredTwice`` names the kind.
  mutating func add(_ handler: RegisteredHandler) {
    if handlers[handler.kind] == nil {
      handlers[handler.kind] = handler
    } else {
      registeredTwice.insert(handler.kind)
    }
  }

  mutating func add(_ middleware: any JobMiddleware) { middlewares.append(middleware) }

  mutating func add(_ hook: @escaping @Sendable (FailedAttempt) async -> Void) { failureHooks.append(hook) }

  var kinds: [JobKind] { handlers.keys.sorted() }

  /// The first handler, by kind, with a policy that cannot be, and the problem; nil: all are right.
  var policyProblem: (kind: JobKind, problem: String)? {
    handlers.sorted { $0.key < $1.key }.lazy
      .compactMap { kind, handler in handler.policy.problem.map { (kind, $0) } }.first
  }
}

extension HandlerRegistry {
  /// - Throws: for a mistake in the set-up.
  func check() throws(WorkerError) {
    if kinds.isEmpty { throw .noHandlers }
    if kinds.count > WorkerError.mostHandlers { throw .tooManyHandlers(kinds.count) }
    if !registeredTwice.isEmpty { throw .registeredTwice(registeredTwice.sorted()) }
    if let (kind, problem) = policyProblem { throw .policyOutOfRange(kind, problem) }
  }
}
