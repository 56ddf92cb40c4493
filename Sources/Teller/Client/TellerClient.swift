package import AMQP
import Foundation
public import Hosting
import JobModel
import JobTransport
public import Logging
public import ServiceLifecycle
import Synchronization

/// Submits jobs, waits for what becomes of them, and watches.
///
///     let client = try await TellerClient.connect(TellerConfiguration.load())
///     let deposit = try await client.submit(Deposit.self, Deposit.Payload(account: "A-1", cents: 500))
///     let balance = try await deposit.value().balance
///     await client.close()
///
/// In a server that runs a `ServiceGroup` the client is one of its services; then the group closes it:
///
///     let client = try TellerClient(TellerConfiguration.load())
///     let group = ServiceGroup(services: [client, server], gracefulShutdownSignals: [.sigterm], logger: logger)
///     try await group.run()
///
/// The client keeps its connections to the broker, and replaces lost ones. Any number of tasks may use it at once. A call
/// that the broker refuses to this user throws ``TellerError/brokerRefused(reason:)``, and harms no other call.
public final class TellerClient: Sendable, Service {
  let core: ClientCore
  package let configuration: TellerConfiguration
  private let serving = Mutex<Task<Void, Never>?>(nil)

  /// A client that connects to the broker when it runs. Its calls wait for the connection, each within its own timeout; a
  /// wait without a timeout, for a job's outcome, goes on until the client runs.
  ///
  /// - Parameters:
  ///   - configuration: Where the broker is.
  ///   - name: What the broker's tools show as the name of the connections.
  ///   - timeouts: How long the client tries and waits before it throws an error.
  ///   - logger: Where lost connections and refused calls are logged.
  public init(
    _ configuration: TellerConfiguration, name: String = "teller client", timeouts: ClientTimeouts = ClientTimeouts(),
    logger: Logger = Logger(label: "teller.client")
  ) {
    self.configuration = configuration
    core = ClientCore(configuration.brokerSource(), name: name, timeouts: timeouts, logger: logger)
  }

  /// The broker's URL, read again.
  package var presentBroker: BrokerURL { get async { await core.session.source.current(core.logger) } }

  deinit { serving.withLock { $0 }?.cancel() }

  /// Connects to the broker. The client needs no ``run()`` then.
  ///
  /// - Parameters:
  ///   - configuration: Where the broker is.
  ///   - name: What the broker's tools show as the name of the connections.
  ///   - timeouts: How long the client tries and waits before it throws an error.
  ///   - logger: Where lost connections and refused calls are logged.
  /// - Returns: A client that is connected.
  /// - Throws: ``ConfigurationError/notEncrypted(host:)``; ``TellerError/brokerUnavailable(reason:)`` when there is no
  ///   connection within ``ClientTimeouts/connect``; ``TellerError/brokerRefused(reason:)`` when the broker does not let
  ///   this user in; ``TellerError/encryptionFailed(reason:)`` for a wrong certificate or file; `CancellationError`.
  public static func connect(
    _ configuration: TellerConfiguration, name: String = "teller client", timeouts: ClientTimeouts = ClientTimeouts(),
    logger: Logger = Logger(label: "teller.client")
  ) async throws -> TellerClient {
    let client = TellerClient(configuration, name: name, timeouts: timeouts, logger: logger)
    try await client.connect()
    return client
  }

  /// As ``connect(_:name:timeouts:logger:)``, of a client that was made before. To be called once, and not beside
  /// ``run()``.
  package func connect() async throws {
    _ = try start()
    let core = core
    let error = { @Sendable in core.noConnection(for: core.timeouts.connect) }
    _ = try await within(core.timeouts.connect, orThrow: error) { try await core.links.current }
  }

  /// Serves the client until the service group shuts down gracefully, the task is cancelled, or ``close()`` is called;
  /// then closes it. To be called once.
  ///
  /// A broker that is away, now or later, is no error: the client logs that once, and keeps trying.
  ///
  /// - Throws: ``ConfigurationError/notEncrypted(host:)``; ``TellerError/brokerRefused(reason:)`` when the broker does not
  ///   let this user in at the first connection; ``TellerError/encryptionFailed(reason:)``;
  ///   ``TellerError/invalid(reason:)`` when the client has been started before; ``TellerError/closed`` when it was closed
  ///   before it was started.
  public func run() async throws {
    let service = try start()
    await withTaskCancellationOrGracefulShutdownHandler {
      await service.value
    } onCancelOrGracefulShutdown: {
      Task { await self.close() }
    }
    if let problem = core.jobs.problem, problem != .closed { throw problem }
  }

  /// Adds a service that shares the client's life, behind those that were added before. See ``HostedService``.
  ///
  /// A service that is added while the client runs is told at once that it has started, and how it stands. A service may
  /// hold its client: the client lets go of its services when it is closed.
  /// The client reads the notification stream for its services, to tell them of the events of plans. At first it tells
  /// those that were announced before, and that nobody has accepted yet.
  public func add(_ service: some HostedService) {
    core.services.add(service)
    core.hasServices.fulfil()
  }

  private func start() throws -> Task<Void, Never> {
    try configuration.checkEncryption()
    return try serving.withLock { serving in
      if serving != nil { throw TellerError.invalid(reason: "this client has been started before: make a new one") }
      // Closed before it was started.
      if core.jobs.problem != nil { throw TellerError.closed }
      core.links.begin()
      let task = Task { [core] in await core.run() }
      serving = task
      return task
    }
  }

  /// Waits for the drain of the services, and then for the confirms of all submissions under way, each for
  /// ``ClientTimeouts/close`` at most; then disconnects. A broker that does not answer the goodbye is left after a few
  /// seconds: the connections then end by themselves.
  ///
  /// A task that still waits for a job gets ``TellerError/closed``. May be called again.
  public func close() async {
    let core = core
    core.services.drain()
    await core.services.settle(within: core.timeouts.close)
    try? await within(core.timeouts.close, orThrow: { TellerError.closed }) { try await core.openSubmissions.drained() }
    core.end(.closed)
    guard let service = serving.withLock({ $0 }) else { return }
    service.cancel()
    // A connection may be in the middle of a send to a broker that is frozen, which nothing but its own limit ends.
    let ended = OneShot<Void>.running { await service.value }
    try? await within(TellerClient.farewellLimit, orThrow: { TellerError.closed }) { try await ended.value }
  }

  /// How long the broker has for the end of all connections.
  private static let farewellLimit: Duration = .seconds(5)
}
