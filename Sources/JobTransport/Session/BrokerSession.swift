package import AMQP
import JobModel
package import Logging

/// Keeps a process's connections to a broker and makes new ones when one of them is lost.
///
/// A connection lives once; a session lives as long as the process needs the broker. What was declared exclusively, the
/// prefetch, consumers and delivery tags go with the connections: `run`'s body sets them up again each time.
package final class BrokerSession: Sendable {
  private let url: BrokerURL
  private let name: String
  private let logger: Logger
  private let options: BrokerSessionOptions
  private let board = BrokerStateBoard()

  /// A session that does nothing yet.
  ///
  /// - Parameters:
  ///   - url: where the broker is.
  ///   - name: what the broker's own tools show as the name of the connections.
  ///   - logger: told of each outage once, and of its end.
  ///   - options: its limits.
  package init(url: BrokerURL, name: String, logger: Logger, options: BrokerSessionOptions = .init()) {
    self.url = url
    self.name = name
    self.logger = logger
    self.options = options
  }

  /// How it stands with the broker now.
  package var state: BrokerState { board.state }

  /// The body says it when everything that it declares and consumes was granted: from then on nothing that the broker
  /// refuses ends a run of this session. Without it, one that has just begun cannot be told from one with a wrong set-up.
  package func becameReady() { board.becameReady() }

  /// Runs the body with open connections, again with new ones whenever one of them is lost, until it returns.
  ///
  /// When a connection is lost, or the broker ends a consumer (its queue was deleted), the body's task is cancelled and
  /// all connections are closed, so that everything that waits on them throws; the session waits for the body to end,
  /// and runs it again once there are new connections. A body that returns, or throws an `AMQPError`, because its
  /// connection was lost is run again too. It must not close the connections, nor read their events.
  ///
  /// Ends when the body returns, or throws anything but an `AMQPError`. When the task is cancelled, the body may end in
  /// its own way; after `cancellationLimit` the connections are closed under it. While nobody listens at the address,
  /// it tries for ever, unless there is a limit.
  ///
  /// Of a broker with several addresses all connections go to one, the first to one that chance chooses; when that does
  /// not answer, the next is tried at once, and only after all of them it waits.
  ///
  /// - Throws: an `AMQPError` for which trying again cannot help: a wrong password or virtual host, a queue with other
  ///   arguments. Once it was ready, or connected for a while, even those are tried again, since they are then more
  ///   likely the work of somebody who repairs the broker, or of a bad line. The last error when `giveUpAfter` has
  ///   passed. `CancellationError`.
  package func run(_ body: @escaping @Sendable (BrokerConnections) async throws -> Void) async throws {
    var recovery = Recovery(backOff: options.backOff, giveUpAfter: options.giveUpAfter)
    var generator = SystemRandomNumberGenerator()
    var addresses = BrokerAddresses(url, using: &generator)
    defer { board.lost() }
    while true {
      try Task.checkCancellation()
      guard let (loss, noticed) = try await runOnce(body, &recovery, &addresses) else { return }
      board.lost()
      try Task.checkCancellation()
      let hasNext = addresses.lost(loss)
      if board.wasReady { recovery.becameReady() }
      switch recovery.lost(loss, at: noticed, hasNext: hasNext, using: &generator) {
      case .giveUp: throw loss.error
      case .tryAgain(let wait, let announces):
        if announces { announce(loss, hasNext: hasNext) }
        try await Task.sleep(for: wait)
      }
    }
  }

  /// - Returns: the loss that ended it, and when it was noticed; nil when the body is done.
  private func runOnce(
    _ body: @escaping @Sendable (BrokerConnections) async throws -> Void, _ recovery: inout Recovery,
    _ addresses: inout BrokerAddresses
  ) async throws -> BrokerRun.Lost? {
    let url = url.at(addresses.current)
    var options = options
    options.connections.handshakeTimeout = addresses.limit(atMost: options.connections.handshakeTimeout)
    let connections: BrokerConnections
    do throws(AMQPError) {
      connections = try await BrokerConnections.open(url, options, name: name)
    } catch {
      return (.notOpened(error), .now)
    }
    addresses.opened()
    let outage = recovery.opened(at: .now)
    if !recovery.isRepeating { announceOpened(connections, url, after: outage) }
    board.opened()
    return try await BrokerRun(
      connections: connections, board: board, logger: logger, cancellationLimit: options.cancellationLimit
    ).run(body)
  }

  private func announceOpened(_ connections: BrokerConnections, _ url: BrokerURL, after outage: Duration?) {
    if let outage {
      let place = self.url.others.isEmpty ? "" : " at \(url.addresses[0])"
      logger.notice("broker back after \(outage.formatted)\(place)")
    } else {
      logger.info("connected to \(url), version \(connections.consuming.serverVersion)")
    }
  }

  private func announce(_ loss: BrokerLoss, hasNext: Bool) {
    switch loss {
    case .notOpened where hasNext:
      logger.warning("broker not reachable: \(loss); trying the next address")
    case .notOpened(let error) where !error.isTransient: logger.error("broker refuses: \(error); trying again")
    case .notOpened: logger.warning("broker not reachable: \(loss); trying again")
    case .connection, .consumerCancelled: logger.warning("broker lost: \(loss); trying again")
    }
  }
}

extension Duration {
  /// As in "1.2 s".
  fileprivate var formatted: String {
    let tenths = (milliseconds + 50) / 100
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
