import AMQP
import Foundation
import JobModel
import JobTransport
public import Logging

/// Submits jobs, waits for what becomes of them, and watches.
///
///     let client = try await TellerClient.connect(TellerConfiguration.load())
///     let deposit = try await client.submit(Deposit.self, Deposit.Payload(account: "A-1", cents: 500))
///     let balance = try await deposit.value().balance
///     await client.close()
///
/// The client keeps its connections to the broker, and replaces lost ones. Any number of tasks may use it at once.
public final class TellerClient: Sendable {
  let core: ClientCore
  private let service: Task<Void, Never>

  private init(_ core: ClientCore, service: Task<Void, Never>) {
    self.core = core
    self.service = service
  }

  deinit { service.cancel() }

  /// Connects to the broker.
  ///
  /// - Parameters:
  ///   - configuration: Where the broker is.
  ///   - name: What the broker's tools show as the name of the connections.
  ///   - timeouts: How long the client tries and waits before it throws an error.
  ///   - logger: Where lost connections are logged.
  /// - Returns: A client that is connected.
  /// - Throws: ``ConfigurationError/notEncrypted(host:)``; ``TellerError/brokerUnavailable(reason:)`` when there is no
  ///   connection within ``ClientTimeouts/connect``; ``TellerError/brokerRefused(reason:)`` when the broker does not let
  ///   this user in; ``TellerError/encryptionFailed(reason:)`` for a wrong certificate or file; `CancellationError`.
  public static func connect(
    _ configuration: TellerConfiguration, name: String = "teller client", timeouts: ClientTimeouts = ClientTimeouts(),
    logger: Logger = Logger(label: "teller.client")
  ) async throws -> TellerClient {
    try configuration.checkEncryption()
    let core = ClientCore(timeouts: timeouts, logger: logger)
    let session = BrokerSession(url: configuration.brokerURL, name: name, logger: logger)
    let client = TellerClient(core, service: Task { await core.run(session) })
    let address = configuration.broker
    let error = { @Sendable in
      TellerError.brokerUnavailable(reason: "no connection to \(address) in \(timeouts.connect)")
    }
    _ = try await within(timeouts.connect, orThrow: error) { try await core.links.current }
    return client
  }

  /// Waits for the confirms of all submissions under way, at most for ``ClientTimeouts/close``, then disconnects.
  ///
  /// A task that still waits for a job gets ``TellerError/closed``. May be called again.
  public func close() async {
    let core = core
    try? await within(core.timeouts.close, orThrow: { TellerError.closed }) { try await core.openSubmissions.drained() }
    core.end(.closed)
    service.cancel()
    await service.value
  }
}

extension ClientCore {
  /// Serves until the task is cancelled, or the broker refuses and waiting cannot help.
  func run(_ session: BrokerSession) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.watchOverWaits() }
      end(await serve(session))
      group.cancelAll()
    }
  }

  /// - Returns: why the client has ended.
  private func serve(_ session: BrokerSession) async -> TellerError {
    var backOff = BackOff.resending
    while true {
      do {
        try await session.run { try await self.serve($0.consuming, $0.publishing) }
        return .closed
      } catch AMQPError.channelClosed(code: 404, _) {
        // A message was sent to an exchange that no coordinator has declared yet. Its sender tries again.
        try? await Task.sleep(for: backOff.next())
      } catch let error as AMQPError {
        return TellerError(final: error)
      } catch {
        return .closed
      }
      if Task.isCancelled { return .closed }
    }
  }
}
