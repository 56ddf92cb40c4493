import Coordinator
import Decisions
import Foundation
public import JobModel
public import Logging
public import Teller

extension TellerTesting {
  /// Runs a body beside a coordinator with a ledger of its own, and a worker, all in this process and on a real broker.
  ///
  /// The virtual host of the broker is for tests alone: its queues of Teller are deleted before and after. Tests that use
  /// the same virtual host wait for each other, also those of other processes.
  ///
  /// - Parameters:
  ///   - handlers: The handlers, by department. A department with `[]` has no worker: its jobs wait.
  ///   - broker: The broker's URL; nil: that in the environment variable `TELLER_TEST_BROKER_URL`.
  ///   - tellers: How many jobs of each department run at once.
  ///   - ordered: The departments whose jobs run one after another, by rank.
  ///   - kinds: The departments of kinds without a handler here.
  ///   - logger: The logger of all parts; one that writes nothing unless it is given.
  ///   - prepare: Is called with the worker before it runs, to add middlewares and hooks.
  ///   - body: The test.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws; ``TestSystemError``; `TellerError`, `WorkerError`, or the coordinator's error when
  ///   the broker cannot be used.
  public static func withSystem<Value: Sendable>(
    serving handlers: [Department: [any JobHandler]], on broker: String? = nil, tellers: Int = 2,
    ordered: Set<Department> = [], kinds: [JobKind: Department] = [:],
    logger: Logger = Logger(label: "teller.test") { _ in SwiftLogNoOpLogHandler() },
    prepare: (Worker) -> Void = { _ in }, _ body: @escaping @Sendable (TestSystem) async throws -> Value
  ) async throws -> Value {
    let place = try await TestBroker.take(broker, handlers)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("teller-test-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let result: Result<Value, any Error>
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let settings = TestSettings(handlers: handlers, tellers: tellers, ordered: ordered, kinds: kinds, logger: logger)
      result = .success(try await settings.run(at: place.url, in: folder, prepare, body))
    } catch {
      result = .failure(error)
    }
    await place.giveBack()
    return try result.get()
  }
}

/// What a test says of its system.
struct TestSettings {
  var handlers: [Department: [any JobHandler]]
  var tellers: Int
  var ordered: Set<Department>
  var kinds: [JobKind: Department]
  var logger: Logger

  /// A whole system, for as long as the body runs. The first part to fail ends the others.
  func run<Value: Sendable>(
    at url: String, in folder: URL, _ prepare: (Worker) -> Void,
    _ body: @escaping @Sendable (TestSystem) async throws -> Value
  ) async throws -> Value {
    var broker = try TellerConfiguration(broker: url)
    broker.allowsPlaintext = true
    let log = JobLog()
    let coordinator = CoordinatorService(
      configuration: configuration, brokerURL: broker.brokerURL,
      ledgerPath: folder.appendingPathComponent("teller.ledger").path, logger: logger, watch: log.note)
    let worker = worker(broker)
    if let worker { prepare(worker) }
    let client = try await TellerClient.connect(broker, name: "teller test", logger: logger)
    let parts = TestParts(coordinator: coordinator, worker: worker, client: client)
    do {
      return try await parts.run { try await body(TestSystem(client: client, worker: worker, log: log)) }
    } catch {
      await client.close()
      throw error
    }
  }

  private func worker(_ broker: TellerConfiguration) -> Worker? {
    let served = handlers.filter { !$0.value.isEmpty }
    if served.isEmpty { return nil }
    let worker = Worker(broker, departments: served.mapValues { _ in tellers }, logger: logger)
    for handler in served.values.joined() { worker.register(handler) }
    return worker
  }

  private var configuration: CoordinatorConfiguration {
    var places = kinds
    for (department, handlers) in handlers {
      for handler in handlers { places[type(of: handler).kind] = department }
    }
    return CoordinatorConfiguration(
      departments: Dictionary(
        uniqueKeysWithValues: handlers.keys.map { ($0, DepartmentSettings(isOrdered: ordered.contains($0))) }),
      kinds: places.mapValues { KindSettings(department: $0) })
  }
}

/// The parts of a test's system that run side by side.
private struct TestParts: Sendable {
  let coordinator: CoordinatorService
  let worker: Worker?
  let client: TellerClient

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
      group.addTask {
        try await coordinator.run()
        return .coordinator
      }
      if let worker {
        group.addTask {
          try await worker.run()
          return .worker
        }
      }
      group.addTask { .body(try await body()) }
      var value: Value?
      for try await end in group {
        switch end {
        case .body(let returned):
          value = returned
          await client.close()
          // The worker first: it may have to ask the coordinator about a job.
          if let worker { await worker.drain() } else { coordinator.drain() }
          group.addTask {
            try await Task.sleep(for: TestParts.drainLimit)
            return .late
          }
        case .worker: coordinator.drain()
        case .coordinator, .late: if let value { return value }
        }
      }
      throw CancellationError()
    }
  }
}
