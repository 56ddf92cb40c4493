package import AMQP
package import JobModel
package import Logging

/// Keeps a process's connections to a broker, and opens new ones when one of them is lost.
///
/// A connection lives once; a session lives as long as the process needs the broker. Exclusive queues, the prefetch,
/// consumers and delivery tags go with the connections: the body of `run` sets them up again each time.
package final class BrokerSession: Sendable {
  /// Where the broker is.
  package let source: BrokerSource
  private let name: String
  private let logger: Logger
  private let options: BrokerSessionOptions
  private let board = BrokerStateBoard()

  /// How often the broker is asked for an answer on each connection: several times within ``SignsOfLife/limit``.
  static let pingInterval: Duration = .seconds(2)

  /// A session that does nothing yet. `name`: that of the connections in the broker's own tools. `logger`: logs each
  /// outage once, and its end.
  package convenience init(url: BrokerURL, name: String, logger: Logger, options: BrokerSessionOptions = .init()) {
    self.init(BrokerSource(url), name: name, logger: logger, options: options)
  }

  /// The same at a broker whose URL may change.
  package init(_ source: BrokerSource, name: String, logger: Logger, options: BrokerSessionOptions = .init()) {
    self.source = source
    self.name = name
    self.logger = logger
    self.options = options
  }

  /// How the process stands with the broker now.
  package var state: BrokerState { board.state }

  /// Why there is no connection, for a sentence that goes on; nil: there is one, or none was tried yet.
  package var lossCause: String? { board.lastLoss?.description }

  /// Whether the broker refuses this process, so that a person must act: its user, its password, its certificate.
  package var isRefused: Bool { board.lastLoss.map { !$0.error.isTransient } ?? false }

  /// The check that the process is connected, and the broker answers on each of its connections, and takes messages; it
  /// names the reason when it is not.
  package var check: HealthReport.Check {
    guard state == .lost, let lossCause else { return board.check(at: SessionClock.now) }
    return HealthReport.Check("broker", isOK: false, detail: "not connected: \(lossCause)")
  }

  /// Called by the body once the broker has granted every declaration and every consumer: from then on no refusal of the
  /// broker ends a run of this session. Before, a refusal may mean a wrong set-up.
  package func becameReady() { board.becameReady() }

  /// Runs the body with open connections, and again with new ones each time when one of them is lost, until the body
  /// returns.
  ///
  /// When a connection is lost, or the broker ends a consumer, since its queue was deleted, the body's task is
  /// cancelled and all connections are closed, so that every call on them throws. The body runs again once it has
  /// ended: whether it returned, or threw an `AMQPError`, because of the loss. It must not close the connections, nor
  /// read their events.
  ///
  /// The run ends when the body returns, or throws any error but an `AMQPError`. When the task is cancelled, the body may
  /// end in its own way; after `cancellationLimit` its connections are closed. While the broker does not answer, the
  /// session tries for ever, unless `giveUpAfter` is set.
  ///
  /// A broker may have several addresses. All connections go to one of them, at first to a random one. When it does not
  /// answer, the next one is tried at once; after all of them the session waits.
  ///
  /// - Throws: an `AMQPError` after which another attempt cannot help: a wrong password or virtual host, a queue with other
  ///   arguments. A session that was ready, or connected for a while, tries again even then: a person may be repairing the
  ///   broker. The last error when `giveUpAfter` has passed. `CancellationError`.
  package func run(_ body: @escaping @Sendable (BrokerConnections) async throws -> Void) async throws {
    var recovery = Recovery(
      backOff: options.backOff, giveUpAfter: options.giveUpAfter, refusedLimit: options.refusedLimit)
    var generator = SystemRandomNumberGenerator()
    var url = source.url
    var addresses = BrokerAddresses(url, firstRoundLimit: options.firstRoundLimit, using: &generator)
    defer { board.lost() }
    var attempt = options
    while true {
      let present = await source.current(logger)
      // After the reading, which may take seconds.
      try Task.checkCancellation()
      if present.addresses != url.addresses {
        addresses = BrokerAddresses(present, firstRoundLimit: options.firstRoundLimit, using: &generator)
      }
      url = present
      guard let (loss, noticed) = try await runOnce(body, url, attempt, &recovery, &addresses) else { return }
      // One message was refused, of many on their way: the next connection finds out which.
      attempt.connections.cautiousMessages = loss.mayBeByMessage ? options.connections.unconfirmedMessages : 0
      board.lost(loss)
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

  /// - Returns: the loss that ended the run, and when it was noticed; nil: the body has ended.
  private func runOnce(
    _ body: @escaping @Sendable (BrokerConnections) async throws -> Void, _ broker: BrokerURL,
    _ options: BrokerSessionOptions, _ recovery: inout Recovery, _ addresses: inout BrokerAddresses
  ) async throws -> BrokerRun.Lost? {
    let url = broker.at(addresses.current)
    var options = options
    options.connections.handshakeTimeout = addresses.limit(atMost: options.connections.handshakeTimeout)
    let connections: BrokerConnections
    do throws(AMQPError) {
      connections = try await BrokerConnections.open(url, options, name: name, source, logger)
    } catch {
      return (.notOpened(error), .now)
    }
    addresses.opened()
    let outage = recovery.opened(at: .now)
    if !recovery.isRepeating { announceOpened(connections, url, isOneOfMany: !broker.others.isEmpty, after: outage) }
    board.opened(connections.all.map(\.role), at: SessionClock.now)
    let onRefused = options.onRefused
    return try await BrokerRun(
      connections: connections, board: board, logger: logger, cancellationLimit: options.cancellationLimit,
      onRefused: { onRefused(connections, $0) }
    ).run(body)
  }

  private func announceOpened(
    _ connections: BrokerConnections, _ url: BrokerURL, isOneOfMany: Bool, after outage: Duration?
  ) {
    if let outage {
      let place = isOneOfMany ? " at \(url.addresses[0])" : ""
      logger.notice("broker back after \(outage.formatted)\(place)")
    } else {
      logger.info("connected to \(url), version \(connections.consuming.serverVersion)")
    }
  }

  private func announce(_ loss: BrokerLoss, hasNext: Bool) {
    switch loss {
    case .notOpened where hasNext:
      logger.warning("broker not reachable: \(loss); trying the next address")
    case .notOpened(let error) where !error.isTransient: logger.error("broker refuses: \(loss); trying again")
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
