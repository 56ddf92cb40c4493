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
  /// How long the first message of the stream may take to come. A stream that has any sends one at once.
  static let firstLimit: Duration = .seconds(5)

  nonisolated let buffer = EventBuffer()
  /// Fulfilled when every event from now on will be read.
  nonisolated let ready = OneShot<Void>()
  /// Why the reader is not ready yet.
  nonisolated let obstacle: Obstacle
  private let core: ClientCore
  private let start: EventStart
  /// The routing keys of the live events that are told.
  private let liveKeys: [String]
  private(set) var order: EventOrder
  /// The last message of the stream without missing events before it; nil: none is known.
  private var place: StreamPlace?
  private(set) var gap = GapTime()
  /// Events before that moment are passed over, until the first one that is not; nil: none are.
  private var moment: Date?

  /// `liveKeys`: the routing keys of the live events that are told.
  init(_ core: ClientCore, since start: EventStart, liveKeys: [String] = EventFilter().liveKeys) {
    self.core = core
    self.liveKeys = liveKeys
    self.start = start
    if case .at(let date) = start { moment = date }
    obstacle = core.obstacle(on: core.lines.watching, waited: core.timeouts.connect)
    guard case .after(let position) = start else {
      order = EventOrder(after: nil)
      return
    }
    order = EventOrder(after: position)
    place = StreamPlace(of: position)
  }

  /// Reads until the task is cancelled, or there is an error that waiting cannot cure.
  func run() async {
    var backOff = BackOff.resending
    do {
      while true {
        if try await read(at: try await core.links.current.node) { backOff.reset() }
        try await Task.sleep(for: backOff.next())
      }
    } catch {
      ready.fulfil(.failure(error))
      buffer.fail(error)
    }
  }

  /// Reads on one connection until it is lost, or the broker ends a consumer.
  ///
  /// - Returns: whether both consumers were made.
  private func read(at node: BrokerURL) async throws -> Bool {
    order.dropHeld()
    gap = GapTime()
    var couldRead = false
    do {
      let connection = try await core.lines.watching.connection(to: node)
      let relay = try await EventReader.declareRelay(liveKeys, on: connection)
      let live = try await connection.consume(relay.name, options: ConsumeOptions(prefetch: EventReader.livePrefetch))
      defer { cancel(live, on: connection) }
      let stream = try await openStream(connection, behind: relay)
      defer { cancel(stream.consumer, on: connection) }
      order.begin()
      ready.fulfil()
      couldRead = true
      try await follow(stream, and: live, on: connection)
    } catch let error as AMQPError {
      try obstacle.met(error)
    }
    try Task.checkCancellation()
    return couldRead
  }

  private func follow(_ stream: OpenedStream, and live: Consumer, on connection: Connection) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await self.follow(stream, on: connection) }
      group.addTask { try await self.relay(live, on: connection) }
      group.addTask { try await self.limitGaps() }
      // The first task to end: the connection is lost, or the watch is over.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Consumes the stream from where the last connection ended, or where the watch begins. `marker`: a queue of the
  /// connection.
  private func openStream(_ connection: Connection, behind marker: QueueDeclaration) async throws -> OpenedStream {
    if start == .now, !ready.isFulfilled {
      let opened = try await openStream(at: "last", connection, behind: marker) { stream, first in
        // A stream without messages: all that comes is new.
        guard let first else { return stream }
        try await self.pass(first, of: stream.consumer, on: connection, behind: marker)
        return OpenedStream(stream.consumer)
      }
      if let opened { return opened }
    } else if let place {
      let found = try await openStream(at: .int(place.offset), connection, behind: marker) { stream, first in
        if let first, place.isFound(in: NotificationCodec.decode(first)) { return stream }
        self.cancel(stream.consumer, on: connection, acking: [first].compactMap(\.self))
        return nil
      }
      if let found { return found }
    }
    return OpenedStream(try await consume(from: StreamPlace.begin(of: start), on: connection))
  }

  /// Consumes the stream from a place; `body` is given the first message, and makes of it what is read on.
  private func openStream(
    at offset: FieldValue, _ connection: Connection, behind marker: QueueDeclaration,
    _ body: (OpenedStream, Delivery?) async throws -> OpenedStream?
  ) async throws -> OpenedStream? {
    let stream = OpenedStream(try await consume(from: offset, on: connection))
    do {
      return try await body(stream, try await firstDelivery(of: stream, on: connection, behind: marker))
    } catch {
      // The connection goes on, for other watches.
      cancel(stream.consumer, on: connection)
      throw error
    }
  }

  /// - Returns: nil when none comes within the limit, and the broker has answered another call behind it.
  private func firstDelivery(
    of stream: OpenedStream, on connection: Connection, behind marker: QueueDeclaration
  ) async throws -> Delivery? {
    let limit = min(EventReader.firstLimit, core.timeouts.connect / 2)
    let late = TellerError.timedOut(waitingFor: "the first message of the stream", limit: limit)
    do {
      return try await within(limit, orThrow: { late }) { try await stream.firstDelivery }
    } catch let error as TellerError where error == late {
      _ = try await connection.declare(marker)
      return stream.first.isFulfilled ? try await stream.firstDelivery : nil
    }
  }

  /// Passes over all that is older than the watch: the last part of the stream.
  ///
  /// The broker sends what the stream has in one go, until as many messages as may be are un-acked, and the answer to a
  /// later call behind it. So fewer messages before the answer are the last ones.
  private func pass(
    _ first: Delivery, of stream: Consumer, on connection: Connection, behind marker: QueueDeclaration
  ) async throws {
    var (older, count) = ([first], 0)
    repeat {
      _ = try await connection.declare(marker)
      older += stream.takeWaiting()
      for case .recorded(let batch, let offset?) in older.lazy.map(NotificationCodec.decode) {
        order.pass(batch)
        place = StreamPlace(offset: offset, event: batch.end)
      }
      try await connection.ack(contentsOf: older.map(\.deliveryTag))
      (older, count) = ([], older.count)
    } while count >= Int(EventReader.streamPrefetch)
  }

  private func consume(from offset: FieldValue, on connection: Connection) async throws(AMQPError) -> Consumer {
    let options = ConsumeOptions(prefetch: EventReader.streamPrefetch, arguments: ["x-stream-offset": offset])
    return try await connection.consume(Topology.Queue.notifications, options: options)
  }

  /// Makes the queue of live events. It goes with its consumer.
  static func declareRelay(
    _ keys: [String], on connection: Connection
  ) async throws(AMQPError) -> QueueDeclaration {
    var queue = Topology.replyQueue(JobID())
    queue.arguments.maxLength = EventReader.liveQueueLimit
    queue.arguments.overflow = .dropHead
    _ = try await connection.declare(queue)
    for key in keys {
      try await connection.bind(queue: queue.name, exchange: Topology.Exchange.notifications, routingKey: key)
    }
    return queue
  }

  private func cancel(_ consumer: Consumer, on connection: Connection, acking read: [Delivery] = []) {
    // In a task of its own, since this one may be cancelled. On a lost connection there is no consumer to cancel.
    Task {
      try? await connection.cancel(consumer.tag)
      // What came before the end is acked: the connection goes on, for other watches.
      let rest = read + consumer.takeWaiting()
      try? await connection.ack(contentsOf: rest.map(\.deliveryTag))
    }
  }

  /// Waits for room for what these deliveries hold. Where the watch ends meanwhile, they are acked all the same: the
  /// connection goes on, for other watches.
  private func room(for deliveries: [Delivery], on connection: Connection) async throws {
    do {
      try await buffer.room()
    } catch {
      Task { try? await connection.ack(contentsOf: deliveries.map(\.deliveryTag)) }
      throw error
    }
  }

  private func follow(_ stream: OpenedStream, on connection: Connection) async throws {
    var next = try await stream.first.value
    while let batch = next {
      for delivery in batch {
        // Room first: a cancellation between the next two steps would lose events.
        gap.pause(at: .now)
        try await room(for: [delivery], on: connection)
        gap.resume(at: .now)
        buffer.append(try ordered(NotificationCodec.decode(delivery)))
        try await connection.ack(delivery.deliveryTag)
      }
      next = await stream.consumer.nextBatch(atMost: 1)
    }
  }

  /// The events that come next, after a message of the stream.
  private func ordered(_ message: NotificationMessage) throws(TellerError) -> [JobEvent] {
    guard case .recorded(let batch, let offset) = message else {
      if case .unreadable(let reason) = message { throw .notUnderstood(reason: reason) }
      return []
    }
    switch order.receive(batch, offset: offset) {
    case .deliver(let events):
      gap = GapTime()
      gap.note(isMissing: order.isWaiting, at: .now)
      if !order.isWaiting, let offset, let end = batch.end { place = StreamPlace(offset: offset, event: end) }
      return events.since(&moment)
    case .awaitMissing:
      gap.note(isMissing: true, at: .now)
      return []
    case .giveUp(let after, let before): throw .eventsMissing(after: after, before: before)
    }
  }

  private func relay(_ live: Consumer, on connection: Connection) async throws {
    while let batch = await live.nextBatch(atMost: Int(EventReader.livePrefetch)) {
      for delivery in batch {
        guard case .live(let notifications) = NotificationCodec.decode(delivery) else { continue }
        try await room(for: batch, on: connection)
        buffer.append(notifications.map { JobEvent($0, epoch: nil) })
      }
      try await connection.ack(contentsOf: batch.map(\.deliveryTag))
    }
  }

  /// Throws when missing events have not come within `timeouts.missingEvents`.
  private func limitGaps() async throws {
    for await _ in AsyncTimerSequence(interval: core.timeouts.tick, clock: .continuous) {
      guard let missing = order.missing else { continue }
      if gap.time(at: .now) >= core.timeouts.missingEvents {
        throw TellerError.eventsMissing(after: missing.after, before: missing.before)
      }
    }
  }
}

/// A consumer of the stream, and the message that comes first from it.
private struct OpenedStream: Sendable {
  let consumer: Consumer
  /// Nil in it: the consumer has ended before.
  let first: OneShot<[Delivery]?>

  init(_ consumer: Consumer) {
    self.consumer = consumer
    first = OneShot.running { await consumer.nextBatch(atMost: 1) }
  }

  /// - Throws: `AMQPError.connectionLost` when the consumer has ended, or `CancellationError`.
  var firstDelivery: Delivery {
    get async throws {
      guard let delivery = try await first.value?.first else {
        throw AMQPError.connectionLost(reason: "the notification stream ended")
      }
      return delivery
    }
  }
}
