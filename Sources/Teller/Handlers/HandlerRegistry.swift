package import JobModel
import Logging
import Synchronization

/// A handler without its types: payload bytes in, the job's result out.
struct RegisteredHandler: Sendable {
  let kind: JobKind
  let policies: KindPolicies
  let run: @Sendable (_ job: JobInfo, _ payload: [UInt8], RunLine, Logger) async throws -> JobOutput

  init<Handler: JobHandler>(_ handler: Handler) {
    kind = Handler.kind
    policies = KindPolicies(Handler.policy)
    run = { job, bytes, line, logger in
      let payload = try PayloadReader.read(Handler.Payload.self, from: bytes)
      return try ResultWriter.write(
        try await handler.run(context: JobContext(job, payload: payload, bytes: bytes, line: line, logger: logger)))
    }
  }
}

extension RegisteredHandler {
  /// A handler that takes the payload's bytes as they are, and tries the jobs of each department in another way.
  init(
    of kind: JobKind, policies: [Department: HandlerPolicy],
    run: @escaping @Sendable (_ job: JobInfo, _ payload: [UInt8], Logger) async throws -> JobOutput
  ) {
    (self.kind, self.policies) = (kind, KindPolicies(HandlerPolicy(), in: policies))
    self.run = { job, payload, _, logger in try await run(job, payload, logger) }
  }

  /// How jobs of a department are tried.
  func policy(in department: Department) -> HandlerPolicy { policies[department] }
}

/// How the jobs of a kind are tried.
package struct KindPolicies: Hashable, Sendable {
  private let policy: HandlerPolicy
  /// The policies of departments where it is another one.
  private let policies: [Department: HandlerPolicy]

  package init(_ policy: HandlerPolicy, in policies: [Department: HandlerPolicy] = [:]) {
    (self.policy, self.policies) = (policy, policies)
  }

  package subscript(department: Department) -> HandlerPolicy { policies[department] ?? policy }

  /// What is out of range, for people; nil: nothing.
  fileprivate var problem: String? { ([policy] + policies.values).lazy.compactMap(\.problem).first }
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
      .compactMap { kind, handler in handler.policies.problem.map { (kind, $0) } }.first
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
