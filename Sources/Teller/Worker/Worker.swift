import AMQP
import Foundation
public import Hosting
public import JobModel
import JobTransport
public import Logging
import Synchronization

/// Serves departments: takes their jobs from the broker and runs them in its handlers.
///
///     let worker = Worker(configuration, departments: ["deposit": 2])
///     worker.register(Deposit())
///     try await worker.runService()
///
/// A worker is a `Service` of swift-service-lifecycle: beside other services it is one of a `ServiceGroup`. Its shutdown
/// drains the worker.
///
/// A department's tellers are how many of its jobs this worker runs at once. More workers, in more processes or on more
/// machines, add their tellers. A worker consumes nothing before the coordinator has welcomed it. A worker goes on
/// while the coordinator or the broker is away.
///
/// Handlers run on threads of their own: a handler that blocks its thread can only delay handlers of its department. The loss of the
/// connection does not interrupt a handler: its report is sent once the connection is back. A handler's task is cancelled
/// when its time limit has passed, or its job is cancelled; see ``JobHandler/run(context:)``.
///
/// Operators may change a running worker's tellers (`teller resize`), pause its departments (`teller pause`), and have it
/// drain (`teller drain`). After a drain ``run()`` and ``runService()`` return. A `ServiceGroup` takes a service that returns
/// for a failure unless it is told otherwise: see ``run()``.
public final class Worker: Sendable {
  let configuration: TellerConfiguration
  let departments: [Department: Int]
  private let registry = Mutex(HandlerRegistry())
  let services: HostedServices
  let loop: WorkerLoop
  let session: BrokerSession
  private let hasRun = Atomic(false)

  /// A worker that does nothing before ``run()``.
  ///
  /// - Parameters:
  ///   - configuration: Where the broker is; nothing else of it is read.
  ///   - departments: How many tellers serve each department, until an operator resizes it; together at most
  ///     ``WorkerError/mostTellers``.
  ///   - timeouts: After how long a job is adopted, and a cancelled handler is stuck.
  ///   - logger: The worker's logger; handlers find it in their context.
  public init(
    _ configuration: TellerConfiguration, departments: [Department: Int], timeouts: WorkerTimeouts = WorkerTimeouts(),
    logger: Logger = Logger(label: "teller.worker")
  ) {
    self.configuration = configuration
    self.departments = departments
    services = HostedServices(logger: logger)
    loop = WorkerLoop(
      tellers: departments, timeouts: timeouts, name: Worker.processName, logger: logger)
    var options = BrokerSessionOptions()
    options.cancellationLimit = Worker.closingLimit
    session = BrokerSession(
      configuration.brokerSource(), name: "teller worker \(Worker.processName)", logger: logger, options: options)
  }

  /// Adds the handler of one kind of job; before ``run()``. The coordinator gives a worker only jobs of its
  /// kinds. A job of another kind that comes all the same goes back, and no attempt is counted.
  public func register(_ handler: some JobHandler) {
    registry.withLock { $0.add(RegisteredHandler(handler)) }
  }

  /// Adds a handler that takes the payload's bytes as they are, with a policy for each department; before ``run()``.
  package func register(
    _ kind: JobKind, policies: [Department: HandlerPolicy],
    run: @escaping @Sendable (_ job: JobInfo, _ payload: [UInt8], Logger) async throws -> JobOutput
  ) {
    registry.withLock { $0.add(RegisteredHandler(of: kind, policies: policies, run: run)) }
  }

  /// Has a middleware run around every handler; before ``run()``. The middleware that was added first is the outermost.
  public func use(_ middleware: some JobMiddleware) {
    registry.withLock { $0.add(middleware) }
  }

  /// Has a hook called after each attempt that failed, also after one that failed after its time limit; before ``run()``.
  /// Snoozed and discarded jobs are no failures, and neither is the run of a job that was cancelled.
  ///
  ///     worker.onFailure { failed in
  ///       await sentry.capture(failed.error, tags: ["job": "\(failed.job.id)", "kind": "\(failed.job.kind)"])
  ///     }
  ///
  /// The hook runs in a task of its own, which has the job (`JobInfo.current`) and the trace of the attempt. The attempt is
  /// reported after it, and keeps its teller until then. After ``WorkerTimeouts/failureHooks`` the hooks are cancelled, and
  /// the attempt is reported all the same.
  public func onFailure(_ hook: @escaping @Sendable (FailedAttempt) async -> Void) {
    registry.withLock { $0.add(hook) }
  }

  /// Adds a service that shares the worker's life, behind those that were added before; before ``run()``. See
  /// ``HostedService``.
  ///
  ///     worker.add(LifecycleLog())
  ///     worker.add(Reminder(client))
  ///
  /// These lines are the only place that names the services. To take a service out, delete its line.
  public func add(_ service: some HostedService) {
    // A method, as for handlers and hooks, and no list in `init`: a service may need the host itself, and the test kit
    // gives its user a worker that is made already.
    services.add(service)
  }

  /// The worker's handlers, as they are when it begins to run.
  ///
  /// - Throws: ``WorkerError`` for a mistake in the set-up; ``ConfigurationError/notEncrypted(host:)``.
  func begin() throws -> HandlerRegistry {
    try configuration.checkEncryption()
    if departments.isEmpty { throw WorkerError.noDepartments }
    for (department, tellers) in departments where !(1...WorkerError.mostTellers).contains(tellers) {
      throw WorkerError.tellersOutOfRange(department, tellers)
    }
    // Each number is in range by now, so the sum cannot overflow.
    let tellers = departments.values.reduce(0, +)
    if tellers > WorkerError.mostTellers { throw WorkerError.tooManyTellers(tellers) }
    let registry = registry.withLock(\.self)
    try registry.check()
    if hasRun.exchange(true, ordering: .relaxed) { throw WorkerError.alreadyRun }
    return registry
  }

  /// How long a close waits for a message to a broker that takes none.
  private static let closingLimit: Duration = .seconds(1)

  /// How many characters of the machine's name are kept.
  private static let hostNameLimit = 200

  /// The machine and the process, for people.
  private static let processName: String = {
    let process = ProcessInfo.processInfo
    return "\(process.hostName.prefix(Worker.hostNameLimit))/\(process.processIdentifier)"
  }()
}
