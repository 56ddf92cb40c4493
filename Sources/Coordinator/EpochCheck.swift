import AMQP
import AsyncAlgorithms
import JobModel
import JobTransport
import Ledger
import Logging

/// Looks whether the notification stream is ahead of the ledger: then the ledger was rolled back, to a backup for
/// example, and its next notifications would have numbers that watchers have seen already. A new epoch begins instead,
/// and whatever an older one has released is claimed before it runs.
///
/// For a lease after that nothing is released and no claim is answered: workers that the ledger has forgotten about are
/// heard first, with what they run.
struct EpochCheck {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let logger: Logger

  /// How long the stream may take; after that the coordinator goes on without knowing.
  static let limit: Duration = .seconds(10)
  private static let prefetch: UInt16 = 32

  func run() async throws {
    let last = try await withThrowingTaskGroup(of: NotificationBatch?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await lastBatch() }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: EpochCheck.limit, clock: .continuous) { break }
        try Task.checkCancellation()
        logger.warning("the notification stream does not answer; whether the ledger is behind it is not known")
        return nil
      }
      return try await group.next() ?? nil
    }
    if let last, let seq = last.notifications.last?.seq {
      try await bookkeeper.compare(withStreamAt: last.epoch, seq)
    }
  }

  /// The last batch of this ledger in the stream, as far as its last part has one. An empty batch of our own, which tells
  /// nobody anything, shows where the stream ends.
  private func lastBatch() async throws -> NotificationBatch? {
    let marker = JobID().description
    let options = ConsumeOptions(prefetch: EpochCheck.prefetch, arguments: ["x-stream-offset": "last"])
    let consumer = try await connections.consuming.consume(Topology.Queue.notifications, options: options)
    let end = NotificationCodec.encode(marker: marker, ledger: bookkeeper.ledger.id)
    guard try await connections.publishing.publish(end) == .confirmed else { return nil }
    var last: NotificationBatch?
    reading: while let batch = await consumer.nextBatch(atMost: Int(EpochCheck.prefetch)) {
      try await connections.consuming.ack(contentsOf: batch.map(\.deliveryTag))
      for delivery in batch {
        if delivery.properties.messageID == marker { break reading }
        guard case .recorded(let batch, _) = NotificationCodec.decode(delivery), batch.ledger == bookkeeper.ledger.id,
          !batch.notifications.isEmpty
        else { continue }
        last = batch
      }
    }
    try await connections.consuming.cancel(consumer.tag)
    return last
  }
}

extension Bookkeeper {
  /// Begins a new epoch if the stream has notifications that the ledger has not.
  func compare(withStreamAt streamEpoch: Int, _ seq: Int64) throws(LedgerError) {
    let last = try turn { transaction, _ in try transaction.lastSeq() }
    guard streamEpoch > epoch || (streamEpoch == epoch && seq > last) else { return }
    epoch = try turn { transaction, _ in try transaction.beginEpoch(atLeast: max(streamEpoch, epoch) + 1, at: .now()) }
    logger.warning(
      "the ledger is behind the notification stream: it was rolled back; a new epoch begins",
      metadata: ["epoch": "\(epoch)", "ledger": "\(last)", "stream": "\(seq)"])
  }
}

extension Bookkeeper {
  /// Whether an epoch began so recently that not all workers can have been heard.
  var isQuiet: Bool { quietUntil.map { Timestamp.now() < $0 } ?? false }

  /// Until when nothing is released, after an epoch began. A clock that was set back makes it no longer than a lease.
  func quietEnd(_ began: Timestamp?, at now: Timestamp) -> Timestamp? {
    guard let began, began + configuration.lease > now else { return nil }
    return min(began, now) + configuration.lease
  }

  /// All workers have been heard, or given up: what was held back goes on.
  func endQuiet(at now: Timestamp) throws(LedgerError) {
    guard let quietUntil, quietUntil <= now else { return }
    self.quietUntil = nil
    unfilled.formUnion(desks.keys)
    choresArrived.fire()
    try turn { transaction, outgoing in
      try claimOrphans(transaction, &outgoing)
      try fill(transaction, &outgoing)
    }
  }
}
