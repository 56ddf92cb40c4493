import AMQP
import AsyncAlgorithms
package import JobModel

/// The place of the one active coordinator of a broker: the queue `teller.coordinator` serves whoever has it, and the
/// next one when that one is gone.
///
/// A coordinator knocks: it publishes a message to the queue that it consumes. Whoever hears its own knock has the place.
/// It goes on knocking, and gives up its connections when it no longer hears itself: a consumer whose node was out of
/// reach for a while is replaced, and nobody tells it. A standby knocks in vain, as the one that is served takes its
/// knocks away, until that one is gone.
///
/// The place keeps two coordinators, each with a ledger of its own, from sharing between them what comes in. It is no
/// fence: until the broker has noticed that one is gone or cut off, two may act. What they do then stays apart by other
/// means. The ledger's lock file keeps two of them from one ledger; each assignment and report says of which ledger and
/// epoch it is, and with which token.
package struct ActivePlace: Sendable {
  private let connections: BrokerConnections
  private let session: BrokerSession
  private let consumer: Consumer
  private let hearingLimit: Duration
  private let refused: @Sendable (LedgerID) -> Void
  /// Tells its own knocks from those of others, and of its earlier connections.
  private let name = JobID().description

  /// How often it knocks, so that a standby has the place that long after the broker has noticed that it is free.
  package static let interval: Duration = .seconds(1)
  /// How long its knock may take to be confirmed, and then to be heard, before it gives up its connections and tries
  /// another node: longer than the queue is without a leader.
  package static let limit: Duration = .seconds(20)
  /// How many knocks it takes at a time: its own, and those of standbys that came in between.
  private static let prefetch: UInt16 = 64

  /// Begins to consume, and has nothing yet. `refused` is told the ledgers whose coordinators were refused here.
  package init(
    on connections: BrokerConnections, of session: BrokerSession, hearingLimit: Duration = ActivePlace.limit,
    refused: @escaping @Sendable (LedgerID) -> Void = { _ in }
  ) async throws {
    (self.connections, self.session, self.hearingLimit) = (connections, session, hearingLimit)
    self.refused = refused
    try await connections.consuming.declare(Topology.coordinatorQueue)
    consumer = try await connections.consuming.consume(
      Topology.Queue.coordinator, options: ConsumeOptions(prefetch: ActivePlace.prefetch))
  }

  /// Returns once it has the place; `standsBy` is told each time it finds that another one has.
  package func take(standsBy: () -> Void) async throws {
    repeat {
      try await knock()
      if await isHeard(within: ActivePlace.interval) { return }
      try Task.checkCancellation()
      standsBy()
    } while true
  }

  /// Looks again and again whether it still has the place.
  package func hold() async throws {
    for await _ in AsyncTimerSequence(interval: ActivePlace.interval, clock: .continuous) {
      try await knock()
      guard await isHeard(within: hearingLimit) else {
        try Task.checkCancellation()
        throw AMQPError.connectionLost(reason: "the broker serves another coordinator, or none, in place of this one")
      }
    }
  }

  private func knock() async throws {
    let publishing = TimedPublishing(connection: connections.publishing, session: session, limit: ActivePlace.limit)
    let results = try await publishing.publishInTime([Knock.publishing(by: name)], as: "the confirm of a knock")
    guard results == [.confirmed] else { throw AMQPError.connectionLost(reason: "the broker refused a knock") }
  }

  private func isHeard(within limit: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      defer { group.cancelAll() }
      group.addTask { await hears() }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: limit, clock: .continuous) { break }
        return false
      }
      return await group.next() ?? false
    }
  }

  /// Whether it hears itself before the connection ends.
  private func hears() async -> Bool {
    while let batch = await consumer.nextBatch(atMost: Int(ActivePlace.prefetch)) {
      // What is not acked because the connection has ended comes back to whoever is next.
      try? await connections.consuming.ack(contentsOf: batch.map(\.deliveryTag))
      Set(batch.compactMap(Knock.refusedLedger)).forEach(refused)
      if batch.contains(where: { Knock.isOne($0, by: name) }) { return true }
    }
    return false
  }
}

/// The message of a coordinator to the queue `teller.coordinator`: it comes back if the queue serves this coordinator.
enum Knock {
  static let type = "knock"

  /// A knock by a unique name.
  static func publishing(by name: String) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.default, routingKey: Topology.Queue.coordinator,
      properties: MessageProperties(messageID: name, type: type), body: [])
  }

  private static let refusedType = "refused"

  /// Tells the active coordinator that one with that ledger was refused.
  static func refused(_ ledger: LedgerID) -> Publishing {
    Publishing(
      exchange: Topology.Exchange.default, routingKey: Topology.Queue.coordinator,
      properties: MessageProperties(messageID: ledger.text, type: refusedType), body: [])
  }

  /// The ledger whose coordinator was refused, if a delivery says so.
  static func refusedLedger(_ delivery: Delivery) -> LedgerID? {
    delivery.properties.type == refusedType ? delivery.properties.messageID.map { LedgerID($0) } : nil
  }

  /// Whether a delivery is a knock by this name.
  static func isOne(_ delivery: Delivery, by name: String) -> Bool {
    delivery.properties.type == type && delivery.properties.messageID == name
  }
}
