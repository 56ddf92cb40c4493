import Coordinator
package import CoordinatorSettings
public import Foundation
public import Hosting
public import JobModel
import JobTransport
public import Logging
public import ServiceLifecycle
import Synchronization
public import TellerHealth

/// Runs the coordinator of a ledger in a program of your own: the same as the command `teller coordinator`, with services
/// of your own.
///
///     let coordinator = try Coordinator(file: "teller.yaml", ledger: "teller.ledger")
///     coordinator.add(LifecycleLog())
///     try await coordinator.run()
///
/// A coordinator is a `Service` of swift-service-lifecycle: beside other services it is one of a `ServiceGroup`. Its
/// shutdown drains the coordinator.
///
/// One ledger and one broker have one active coordinator. A further one, in this program, in another one or as the
/// command, stands by until the active one has ended. Lost connections and a full disk are waited out.
///
/// With `health:` among its settings the coordinator answers `/health` and `/ready` there while it runs, also while it
/// drains.
public final class Coordinator: Sendable {
  let service: CoordinatorService
  let reloading: Reloading
  private let server: HealthServer?
  private let hasRun = Atomic(false)

  /// A coordinator that opens nothing before ``run()``. Each setting is taken from the first of: the arguments of this
  /// call, the environment (`TELLER_BROKER_URL` or `TELLER_BROKER_URL_FILE`, `TELLER_LEDGER`, `TELLER_HEALTH` and the
  /// others of `teller coordinator`), the file, the default.
  ///
  /// - Parameters:
  ///   - file: The path of `teller.yaml`; nil: that in `TELLER_CONFIG`, else `./teller.yaml`.
  ///   - ledger: The path of the ledger. A file that does not exist is made.
  ///   - broker: The broker's URL, such as one from a store of secrets.
  ///   - rules: Rules of the program, beside those of the file. They stay when the file is read again.
  ///   - waitsForClaim: Whether it waits while the virtual host belongs to another ledger, instead of throwing
  ///     ``CoordinatorError/otherLedger(reason:)``.
  ///   - metrics: What `/metrics` tells at the address of `health:`; nil: there is no such path. Bootstrap it before.
  ///   - logger: The logger of all parts.
  ///   - environment: The environment; that of this process unless another is given.
  /// - Throws: ``CoordinatorError/wrongSettings(_:)`` with every mistake of the file and of the other settings.
  public convenience init(
    file: String? = nil, ledger: String? = nil, broker: String? = nil, rules: [Rule] = [],
    waitsForClaim: Bool = false, metrics: PrometheusMetrics? = nil,
    logger: Logger = Logger(label: "teller.coordinator"),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CoordinatorError) {
    let load = { @Sendable (file: String?) throws(WrongSettings) in
      var settings = try ProcessSettings.load(
        broker: broker, ledger: ledger, file: file, isForCoordinator: true, environment: environment)
      try settings.add(rules)
      return settings
    }
    do throws(WrongSettings) {
      self.init(try load(file), waitsForClaim: waitsForClaim, metrics: metrics, logger: logger, load: load)
    } catch {
      throw CoordinatorError(error)
    }
  }

  /// A coordinator with settings that were loaded before. `load` reads them again from a file.
  package init(
    _ settings: ProcessSettings, waitsForClaim: Bool, metrics: PrometheusMetrics?, logger: Logger,
    load: @escaping @Sendable (_ file: String) throws(WrongSettings) -> ProcessSettings
  ) {
    let service = CoordinatorService(
      configuration: settings.coordinator, broker: settings.broker.brokerSource(keepsUser: true),
      ledgerPath: settings.ledger, logger: logger, waitsForClaim: waitsForClaim)
    self.service = service
    reloading = Reloading(service: service, started: settings, logger: logger, load: load)
    server = settings.health.map { address in
      HealthServer(on: address, logger: logger, metrics: metrics) { service.health() }
    }
  }

  /// Adds a service that shares the coordinator's life, behind those that were added before; before ``run()``. See
  /// `HostedService`.
  ///
  ///     coordinator.add(LifecycleLog())
  ///     coordinator.add(FailureAlarm(pager))
  ///
  /// These lines are the only place that names the services. To take a service out, delete its line.
  public func add(_ service: some HostedService) {
    self.service.services.add(service)
  }

  /// Asks whether the coordinator is ready. One that stands by or drains is not, and neither is one before ``run()``.
  ///
  /// May be called at any time, from any task; it waits for nothing.
  ///
  /// - Returns: The checks. `broker`: connected to a broker that takes messages. `consumers`: reads its queues. `loop`: its
  ///   loops turn. `ledger`: the ledger can be written. `standby`: only while another coordinator is active.
  ///   `claim`: only while the virtual host belongs to another ledger.
  public func health() -> HealthReport { service.health() }

  /// Has the coordinator read its file again, as the command does at SIGHUP. Does not wait for that: the log says what
  /// changes, what needs a restart, or which mistakes there are, and then nothing changes. Several calls in a short time are
  /// one. A call before ``run()`` counts when the coordinator runs.
  public func reload() { reloading.wanted.fire() }
}

extension Coordinator: Service {
  /// Begins a drain: ``run()`` takes in nothing new, records and tells what is under way, and returns. May be called at any
  /// time, and does not wait for the end. Workers run on, and their reports wait in the broker.
  public func drain() { service.drain() }

  /// Coordinates until it is drained: as a service among others, or where the program itself handles signals.
  ///
  /// The graceful shutdown of its `ServiceGroup` drains the coordinator, like ``drain()``. A cancelled task closes it at
  /// once: the next coordinator takes up what was under way. The coordinator starts, and goes on, while the broker is
  /// away, and while another coordinator is active.
  ///
  /// - Throws: ``CoordinatorError``; `HealthServerError` when the address of `health:` cannot be used; `CancellationError`.
  public func run() async throws {
    if hasRun.exchange(true, ordering: .relaxed) { throw CoordinatorError.alreadyRun }
    do {
      try await withGracefulShutdownHandler {
        async let _: Void = reloading.run()
        try await serve()
      } onGracefulShutdown: {
        self.drain()
      }
    } catch {
      try Task.checkCancellation()
      throw CoordinatorError(ending: error) ?? error
    }
  }

  private func serve() async throws {
    guard let server else { return try await service.run() }
    // Detached: within the group the server would end with the shutdown's begin, and not with the drain.
    let serving = Task.detached { [service] in try await server.run { try await service.run() } }
    try await withTaskCancellationHandler {
      try await serving.value
    } onCancel: {
      serving.cancel()
    }
  }
}
