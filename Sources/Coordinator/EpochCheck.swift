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
    let own = try await bookkeeper.position()
    let last = try await withThrowingTaskGroup(of: NotificationPosition?.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await lastPosition(own) }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: EpochCheck.limit, clock: .continuous) { break }
        try Task.checkCancellation()
        logger.warning("the notification stream does not answer; whether the ledger is behind it is not known")
        return nil
      }
      return try await group.next() ?? nil
    }
    guard try await bookkeeper.compare(withStreamAt: last) else { return }
    // What shows where the stream ended has hidden the evidence from the next one.
    let mark = NotificationCodec.encode(
      marker: JobID().description, ledger: bookkeeper.ledger.id, at: try await bookkeeper.position())
    guard try await connections.publishing.publish(mark) == .confirmed else {
      throw AMQPError.connectionLost(reason: "the notification stream refused a message")
    }
  }

  /// How far this ledger has come in the stream, as far as its last part tells. An empty batch of our own, which tells
  /// watchers nothing, shows where the stream ends; it says how far we are, so that a restored ledger that is started
  /// after us sees it, though we may have had nothing to notify.
  private func lastPosition(_ own: NotificationPosition) async throws -> NotificationPosition? {
    let marker = JobID().description
    let options = ConsumeOptions(prefetch: EpochCheck.prefetch, arguments: ["x-stream-offset": "last"])
    let consumer = try await connections.consuming.consume(Topology.Queue.notifications, options: options)
    let end = NotificationCodec.encode(marker: marker, ledger: bookkeeper.ledger.id, at: own)
    guard try await connections.publishing.publish(end) == .confirmed else { return nil }
    var (last, impossible): (NotificationPosition?, NotificationPosition?)
    reading: while let batch = await consumer.nextBatch(atMost: Int(EpochCheck.prefetch)) {
      try await connections.consuming.ack(contentsOf: batch.map(\.deliveryTag))
      for delivery in batch {
        if delivery.properties.messageID == marker { break reading }
        guard let position = NotificationCodec.position(of: delivery, in: bookkeeper.ledger.id) else { continue }
        if EpochCheck.canFollow(position, own) {
          last = max(last ?? position, position)
        } else {
          impossible = position
        }
      }
    }
    try await connections.consuming.cancel(consumer.tag)
    if let impossible {
      logger.error(
        "the notification stream names an epoch of this ledger behind which there is none: that is passed over",
        metadata: ["epoch": "\(impossible.epoch)", "last": "\(JobProgress.lastEpoch)"])
    }
    return last
  }
}

extension EpochCheck {
  /// Whether a ledger can go on behind that place in the stream. A message that names a higher epoch was damaged, or made
  /// up: the stream keeps it, so that every start would find it again.
  static func canFollow(_ position: NotificationPosition, _ own: NotificationPosition) -> Bool {
    position.epoch < JobProgress.lastEpoch || position.epoch == own.epoch
  }
}

extension Bookkeeper {
  /// How far this ledger has come.
  func position() throws(LedgerError) -> NotificationPosition {
    NotificationPosition(epoch: epoch, seq: try turn { turn in try turn.ledger.lastSeq() })
  }

  /// Begins a new epoch if the stream has notifications that the ledger has not, or a worker a number that the ledger
  /// never gave. `last`: the furthest of this ledger in the stream, nil when none was found. Returns whether it did; not
  /// when there is none left: no ledger is rolled back so often, so the numbers that it has seen were made up.
  func compare(withStreamAt last: NotificationPosition?) throws(LedgerError) -> Bool {
    let own = try position()
    // Above all that were shown at once: each session that is ended for one more epoch is a lease in which nothing starts.
    let highest = max(last?.epoch ?? epoch, epochShown ?? epoch, epoch)
    guard epochShown != nil || last.map({ $0 > own }) == true else { return false }
    guard highest < JobProgress.lastEpoch else {
      epochShown = nil
      logger.error(
        "the ledger seems to be behind what it has told, but has no epoch left: it goes on in the present one",
        metadata: ["epoch": "\(epoch)", "seen": "\(highest)"])
      return false
    }
    epoch = try turn { turn in try turn.ledger.beginEpoch(atLeast: highest + 1, at: now) }
    epochShown = nil
    logger.warning(
      "the ledger is behind what it has told: it was rolled back; a new epoch begins",
      metadata: ["epoch": "\(epoch)", "ledger": "\(own.seq)", "stream": "\(last?.seq ?? 0)"])
    return true
  }
}

extension Bookkeeper {
  /// Whether an epoch began so recently that not all workers can have been heard.
  var isQuiet: Bool { quietUntil.map { now < $0 } ?? false }

  /// Until when nothing is released, after an epoch began: no longer than a lease.
  func quietEnd(_ began: Timestamp?, at now: Timestamp) -> Timestamp? {
    guard let began, began + configuration.lease > now else { return nil }
    return min(began, now) + configuration.lease
  }

  /// All workers have been heard, or given up: what was held back goes on.
  func endQuiet(at now: Timestamp) throws(LedgerError) {
    guard let quietUntil, quietUntil <= now else { return }
    self.quietUntil = nil
    // Nothing has been published meanwhile: of what was cancelled, nothing is on its way any more.
    for release in voidPlaces.keys { voidPlaces[release]?.isSettled = true }
    unfilled.formUnion(desks.keys)
    choresArrived.fire()
    try turn { turn in
      try claimOrphans(turn)
      try fill(turn)
    }
  }
}
