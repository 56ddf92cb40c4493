import AMQP
import AsyncAlgorithms
import Foundation
import JobModel
import JobTransport

/// Reads the notification stream and the live relay, on one connection after the other, and passes the events on in order.
actor EventReader {
  /// How many messages of the stream may be un-acked; each holds up to some hundred events.
  static let streamPrefetch: UInt16 = 32
  /// How many live messages may be un-acked.
  static let livePrefetch: UInt16 = 256
  /// How many live messages may wait at the broker; then the oldest are dropped.
  static let liveQueueLimit = 1_000

  nonisolated let buffer = EventBuffer()
  /// Fulfilled when every event from now on will be read.
  nonisolated let ready = OneShot<Void>()
  /// Why the reader is not ready yet.
  nonisolated let obstacle: Obstacle
  private let core: ClientCore
  private let start: EventStart
  private let began = Date()
  private var order: EventOrder
  /// The last message of the stream without missing events before it.
  private var offset: Int64?
  private var waitingSince: ContinuousClock.Instant?

  init(_ core: ClientCore, since start: EventStart) {
    self.core = core
    self.start = start
    obstacle = Obstacle(waited: core.timeouts.connect)
    if case .after(let position) = start { order = EventOrder(after: position) } else { order = EventOrder(after: nil) }
  }

  /// Reads until the task is cancelled, or there is an error that waiting cannot cure.
  func run() async {
    var backOff = BackOff.resending
    do {
      while true {
        if try await read(try await core.links.current) { backOff.reset() }
        try await Task.sleep(for: backOff.next())
      }
    } catch {
      ready.fulfil(.failure(error))
      buffer.fail(error)
    }
  }

  /// Reads on one pair of connections until it is lost, or the broker ends a consumer.
  ///
  /// - Returns: whether both consumers were made.
  private func read(_ link: ClientLink) async throws -> Bool {
    order.dropHeld()
    waitingSince = nil
    var couldRead = false
    do {
      let stream = try await consumeStream(link.consuming)
      defer { cancel(stream, on: link.consuming) }
      let live = try await consumeLive(link.consuming)
      defer { cancel(live, on: link.consuming) }
      ready.fulfil()
      couldRead = true
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await self.follow(stream, on: link.consuming) }
        group.addTask { try await self.relay(live, on: link.consuming) }
        group.addTask { try await self.limitGaps() }
        // The first task to end: the connection is lost, or the watch is over.
        defer { group.cancelAll() }
        try await group.next()
      }
    } catch let error as AMQPError {
      obstacle.met(error)
    }
    try Task.checkCancellation()
    return couldRead
  }

  private func consumeStream(_ connection: Connection) async throws(AMQPError) -> Consumer {
    let options = ConsumeOptions(prefetch: EventReader.streamPrefetch, arguments: ["x-stream-offset": streamOffset])
    return try await connection.consume(Topology.Queue.notifications, options: options)
  }

  private var streamOffset: FieldValue {
    if let offset { return .int(offset) }
    switch start {
    case .start, .after: return "first"
    // A later connection also reads the events since the first one.
    case .now: return ready.isFulfilled ? .timestamp(UInt64(began.timeIntervalSince1970)) : "next"
    }
  }

  private func consumeLive(_ connection: Connection) async throws(AMQPError) -> Consumer {
    var queue = Topology.replyQueue(JobID())
    queue.arguments.maxLength = EventReader.liveQueueLimit
    queue.arguments.overflow = .dropHead
    _ = try await connection.declare(queue)
    try await connection.bind(
      queue: queue.name, exchange: Topology.Exchange.notifications, routingKey: Topology.RoutingKey.live)
    return try await connection.consume(queue.name, options: ConsumeOptions(prefetch: EventReader.livePrefetch))
  }

  private func cancel(_ consumer: Consumer, on connection: Connection) {
    // In a task of its own, since this one may be cancelled. On a lost connection there is no consumer to cancel.
    Task { try? await connection.cancel(consumer.tag) }
  }

  private func follow(_ stream: Consumer, on connection: Connection) async throws {
    while let batch = await stream.nextBatch(atMost: 1) {
      for delivery in batch {
        // Room first: a cancellation between the next two steps would lose events.
        try await buffer.room()
        buffer.append(try ordered(NotificationCodec.decode(delivery)))
        try await connection.ack(delivery.deliveryTag)
      }
    }
  }

  /// The events that come next, after a message of the stream.
  private func ordered(_ message: NotificationMessage) throws(TellerError) -> [JobEvent] {
    guard case .recorded(let batch, let offset) = message else {
      if case .unreadable(let reason) = message { throw .notUnderstood(reason: reason) }
      return []
    }
    switch order.receive(batch) {
    case .deliver(let events):
      waitingSince = order.isWaiting ? .now : nil
      if !order.isWaiting { self.offset = offset ?? self.offset }
      return events
    case .awaitMissing:
      waitingSince = waitingSince ?? .now
      return []
    case .giveUp(let after, let before): throw .eventsMissing(after: after, before: before)
    }
  }

  private func relay(_ live: Consumer, on connection: Connection) async throws {
    while let batch = await live.nextBatch(atMost: Int(EventReader.livePrefetch)) {
      for delivery in batch {
        guard case .live(let notifications) = NotificationCodec.decode(delivery) else { continue }
        try await buffer.room()
        buffer.append(notifications.map { JobEvent($0, epoch: nil) })
      }
      try await connection.ack(contentsOf: batch.map(\.deliveryTag))
    }
  }

  /// Throws when missing events have not come within `timeouts.missingEvents`.
  private func limitGaps() async throws {
    for await _ in AsyncTimerSequence(interval: core.timeouts.tick, clock: .continuous) {
      guard let since = waitingSince, let missing = order.missing else { continue }
      if .now - since >= core.timeouts.missingEvents {
        throw TellerError.eventsMissing(after: missing.after, before: missing.before)
      }
    }
  }
}
