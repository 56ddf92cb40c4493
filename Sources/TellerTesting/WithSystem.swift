import Coordinator
import Decisions
import Foundation
public import JobModel
import JobTransport
public import Logging
public import Teller

extension TellerTesting {
  /// Runs a body beside a coordinator with a ledger of its own, and a worker, all in this process and on a real broker.
  ///
  /// The virtual host of the broker is for tests alone: its queues of Teller are deleted before and after. Tests that use
  /// the same virtual host wait for each other, also those of other processes.
  ///
  /// - Parameters:
  ///   - handlers: The handlers, by department. A department with `[]` has no worker: its jobs wait. A kind that
  ///     several departments serve has one handler, as in every worker: that of the department whose name sorts first.
  ///   - broker: The broker's URL; nil: that in the environment variable `TELLER_TEST_BROKER_URL`.
  ///   - tellers: How many jobs of each department run at once.
  ///   - ordered: The departments whose jobs run one after another, by rank.
  ///   - kinds: Where submissions go that name no department, for kinds that no department serves here, or several.
  ///   - plans: The plans that the coordinator knows by their names, as under `plans:` of its `teller.yaml`.
  ///   - logger: The logger of all parts; one that writes nothing unless it is given.
  ///   - prepare: Is called with the worker and the system's client before they run, to add middlewares, hooks and
  ///     services.
  ///   - body: The test.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; ``TestSystemError``; `ConfigurationError` for a wrong URL; `TellerError`,
  ///   `WorkerError`, or the coordinator's error when the broker cannot be used.
  public static func withSystem<Value: Sendable>(
    serving handlers: [Department: [any JobHandler]], on broker: String? = nil, tellers: Int = 2,
    ordered: Set<Department> = [], kinds: [JobKind: Department] = [:], plans: [Plan] = [],
    logger: Logger = Logger(label: "teller.test") { _ in SwiftLogNoOpLogHandler() },
    prepare: (Worker, TellerClient) -> Void = { _, _ in },
    _ body: @escaping @Sendable (TestSystem) async throws -> Value
  ) async throws -> Value {
    try await withSystem(
      serving: { _ in handlers }, on: broker, tellers: tellers, ordered: ordered, kinds: kinds, plans: plans,
      logger: logger, prepare: prepare, body)
  }

  /// The same with handlers that need the system's client: to submit jobs themselves.
  ///
  ///     try await TellerTesting.withSystem(serving: { ["post": [Letter(), Stamp(client: $0)]] }) { system in … }
  ///
  /// - Parameters:
  ///   - handlers: Makes the handlers, by department. The client connects later: before the worker runs.
  ///   - broker: The broker's URL; nil: that in the environment variable `TELLER_TEST_BROKER_URL`.
  ///   - tellers: How many jobs of each department run at once.
  ///   - ordered: The departments whose jobs run one after another, by rank.
  ///   - kinds: Where submissions go that name no department, for kinds that no department serves here, or several.
  ///   - plans: The plans that the coordinator knows by their names, as under `plans:` of its `teller.yaml`.
  ///   - logger: The logger of all parts; one that writes nothing unless it is given.
  ///   - prepare: Is called with the worker and the system's client before they run, to add middlewares, hooks and
  ///     services.
  ///   - body: The test.
  /// - Returns: What the body returns.
  /// - Throws: What `handlers` and the body throw; else the same.
  public static func withSystem<Value: Sendable>(
    serving handlers: (TellerClient) throws -> [Department: [any JobHandler]], on broker: String? = nil,
    tellers: Int = 2, ordered: Set<Department> = [], kinds: [JobKind: Department] = [:], plans: [Plan] = [],
    logger: Logger = Logger(label: "teller.test") { _ in SwiftLogNoOpLogHandler() },
    prepare: (Worker, TellerClient) -> Void = { _, _ in },
    _ body: @escaping @Sendable (TestSystem) async throws -> Value
  ) async throws -> Value {
    let broker = try TestBroker.configuration(broker)
    let client = TellerClient(broker, name: "teller test", timeouts: TestSettings.timeouts, logger: logger)
    let settings = TestSettings(
      broker: broker, handlers: try handlers(client), tellers: tellers, ordered: ordered, kinds: kinds,
      plans: try TestSettings.byName(plans), logger: logger)
    let place = try await TestBroker.take(broker.brokerURL, settings.handlers)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("teller-test-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let result: Result<Value, any Error>
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      result = .success(try await settings.run(with: client, in: folder, prepare, body))
    } catch {
      result = .failure(error)
    }
    await place.giveBack()
    return try result.get()
  }
}

/// What a test says of its system.
struct TestSettings {
  var broker: TellerConfiguration
  var handlers: [Department: [any JobHandler]]
  var tellers: Int
  var ordered: Set<Department>
  var kinds: [JobKind: Department]
  var plans: [PlanName: PlanSettings]
  var logger: Logger

  /// Of the system's client. A question that is lost with its connection costs its whole limit: it has a shorter one.
  static var timeouts: ClientTimeouts {
    var timeouts = ClientTimeouts()
    (timeouts.connect, timeouts.coordinator) = (TestSystem.patience, TestSystem.patience)
    timeouts.request = TestSystem.patience / 2
    return timeouts
  }

  /// - Throws: `TellerError.invalid` for a plan with a mistake, or without a name.
  static func byName(_ plans: [Plan]) throws -> [PlanName: PlanSettings] {
    try plans.reduce(into: [:]) { settings, plan in
      guard let name = plan.name, let definition = try? plan.definition(), plan.problems.isEmpty else {
        let problems = plan.name == nil ? ["it has no name"] : plan.problems
        throw TellerError.invalid(reason: "a plan of the test is not valid: \(problems.joined(separator: "; "))")
      }
      settings[name] = PlanSettings(definition)
    }
  }

  /// A whole system, for as long as the body runs. The first part to fail ends the others.
  func run<Value: Sendable>(
    with client: TellerClient, in folder: URL, _ prepare: (Worker, TellerClient) -> Void,
    _ body: @escaping @Sendable (TestSystem) async throws -> Value
  ) async throws -> Value {
    let log = JobLog()
    let coordinator = CoordinatorService(
      configuration: configuration, broker: BrokerSource(broker.brokerURL),
      ledgerPath: folder.appendingPathComponent("teller.ledger").path, logger: logger, watch: log.note)
    let worker = worker()
    if let worker { prepare(worker, client) }
    let parts = TestParts(coordinator: coordinator, worker: worker)
    do {
      try await client.connect()
      let value = try await parts.run { try await body(TestSystem(client: client, worker: worker, log: log)) }
      // Not before the worker has drained: its handlers may have the client, too.
      await client.close()
      return value
    } catch {
      await client.close()
      throw error
    }
  }

  private func worker() -> Worker? {
    let served = handlers.filter { !$0.value.isEmpty }
    if served.isEmpty { return nil }
    let worker = Worker(broker, departments: served.mapValues { _ in tellers }, logger: logger)
    var registered: Set<JobKind> = []
    for (_, handlers) in served.sorted(by: { $0.key < $1.key }) {
      // Two of one department are a mistake, and the worker says so.
      let new = handlers.filter { !registered.contains(type(of: $0).kind) }
      for handler in new { worker.register(handler) }
      registered.formUnion(new.map { type(of: $0).kind })
    }
    return worker
  }

  private var configuration: CoordinatorConfiguration {
    CoordinatorConfiguration(
      departments: Dictionary(
        uniqueKeysWithValues: handlers.keys.map { ($0, DepartmentSettings(isOrdered: ordered.contains($0))) }),
      kinds: places.merging(kinds) { $1 }.mapValues { KindSettings(department: $0) },
      plans: plans)
  }

  /// The departments of the kinds that one department alone serves: of several, a submission has to name one.
  private var places: [JobKind: Department] {
    var serving: [JobKind: Set<Department>] = [:]
    for (department, handlers) in handlers {
      for handler in handlers { serving[type(of: handler).kind, default: []].insert(department) }
    }
    return serving.compactMapValues { $0.count == 1 ? $0.first : nil }
  }
}

/// The parts of a test's system that run side by side.
private struct TestParts: Sendable {
  let coordinator: CoordinatorService
  let worker: Worker?

  /// How long handlers may go on after the test's body; then their tasks are cancelled.
  static let drainLimit: Duration = .seconds(10)

  private enum End<Value: Sendable>: Sendable {
    case coordinator, worker, late
    case body(Value)
  }

  /// Runs all parts until the body has returned and the others have drained. The first to fail ends the others.
  func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    try await withThrowingTaskGroup(of: End<Value>.self) { group in
      defer { group.cancelAll() }
      begin(in: &group)
      group.addTask { .body(try await body()) }
      var value: Value?
      var isServing = worker != nil
      for try await end in group {
        switch end {
        case .body(let returned):
          value = returned
          // The worker first: it may have to ask the coordinator about a job.
          await worker?.drain()
          group.addTask {
            try await Task.sleep(for: TestParts.drainLimit)
            return .late
          }
        case .worker: isServing = false
        case .coordinator, .late: if let value { return value }
        }
        // Not before the end of the body, which may have drained the worker itself, and asks on.
        if value != nil, !isServing { coordinator.drain() }
      }
      throw CancellationError()
    }
  }

  private func begin<Value: Sendable>(in group: inout ThrowingTaskGroup<End<Value>, any Error>) {
    group.addTask {
      try await coordinator.run()
      return .coordinator
    }
    guard let worker else { return }
    group.addTask {
      try await worker.run()
      return .worker
    }
  }
}
