package import AMQP
import JobModel

/// The messages of `teller.rejected`, in the hands of one reader.
///
/// The reader consumes the queue alone: a second reader would get every other message. A message that the reader has
/// taken stays the broker's until it is dropped or put back. Every other message stands in its old place again when the
/// reader closes, also when this process dies.
package actor RejectedQueue {
  /// The most messages that a reader takes: as many as the queue holds.
  package static let mostMessages = 10_000
  /// How long a reader waits for a message that the broker has counted. A message that does not come by then is in the
  /// hands of a program that reads the queue in another way.
  package static let patience: Duration = .seconds(5)

  /// How long the broker may take to answer for messages that are put back. One that is short of memory or disk takes none,
  /// for as long as it is.
  static let publishLimit: Duration = .seconds(15)

  /// How many messages are published before the acks of the first ones.
  static let portion = 256

  private let node: BrokerURL
  private let options: ConnectionOptions
  private let patience: Duration
  private let reading: Connection
  /// A connection for each exchange: the broker ends the connection of a user who may not publish there.
  private var publishing: [String: Connection] = [:]
  private var obstacles: [String: PutBackObstacle] = [:]

  private init(_ node: BrokerURL, _ options: ConnectionOptions, _ patience: Duration, _ reading: Connection) {
    (self.node, self.options, self.patience, self.reading) = (node, options, patience, reading)
  }

  /// Connects to the broker.
  ///
  /// - Parameters:
  ///   - url: The broker's address.
  ///   - options: Of its connections, with their name in the broker's own tools.
  ///   - patience: How long it waits for a message that the broker has counted.
  /// - Returns: A reader that has taken nothing yet.
  /// - Throws: The error of the last node that was tried.
  package static func open(
    _ url: BrokerURL, _ options: ConnectionOptions, patience: Duration = RejectedQueue.patience
  ) async throws(AMQPError) -> RejectedQueue {
    var options = options
    // Room for the headers of parking: every message is read as it was parked.
    options.headers.entries += ParkedMessage.headersAdded
    options.headers.bytes += ParkedMessage.headerBytesAdded
    let (connection, node) = try await Connection.open(anyOf: url, options)
    return RejectedQueue(node, options, patience, connection)
  }

  /// How many messages the queue has that no reader has taken.
  ///
  /// - Throws: `.channelClosed` with code 404 when no coordinator has ever run on this broker.
  package func count() async throws(AMQPError) -> Int {
    var declaration = QueueDeclaration(Topology.Queue.rejected)
    declaration.isPassive = true
    return try await reading.declare(declaration).messageCount
  }

  /// Takes the oldest messages, in their order. To be called once.
  ///
  /// - Throws: an `AMQPError` for which `saysQueueIsInUse` holds when another reader has the queue.
  package func take(atMost limit: Int) async throws(AMQPError) -> [RejectedMessage] {
    let wanted = min(limit, try await count(), Self.mostMessages)
    if wanted <= 0 { return [] }
    var options = ConsumeOptions(prefetch: UInt16(clamping: wanted))
    options.isExclusive = true
    let consumer = try await reading.consume(Topology.Queue.rejected, options: options)
    var messages: [RejectedMessage] = []
    while messages.count < wanted, let batch = await next(consumer, atMost: wanted - messages.count) {
      messages += batch.map(RejectedMessage.init)
    }
    // Throws when the connection has ended: then these are not all.
    if messages.count < wanted { try await settle() }
    return messages
  }

  /// The next deliveries; nil: none came in time, or the connection has ended. Deliveries that come at the very end of the
  /// time may be left out: the broker has them in the queue again when the reader closes.
  private func next(_ consumer: Consumer, atMost limit: Int) async -> [Delivery]? {
    try? await within(patience, orThrow: { CancellationError() }) { await consumer.nextBatch(atMost: limit) }
  }

  /// Takes messages off the queue for good.
  package func drop(_ messages: [RejectedMessage]) async throws(AMQPError) {
    try await reading.ack(contentsOf: messages.map(\.deliveryTag))
    try await settle()
  }

  /// Publishes messages where they came from, and takes each one off the queue once the broker has confirmed it. When
  /// this process dies in between, a message is in both places.
  ///
  /// - Parameters:
  ///   - messages: of this reader.
  ///   - asMine: as for ``RejectedMessage/putBack(asMine:)``.
  ///   - tell: is called with the ends of some messages, as soon as they are known.
  /// - Returns: the ends of all messages, as they were told.
  /// - Throws: `PutBackStopped` when the connection is lost.
  @discardableResult
  package func putBack(
    _ messages: [RejectedMessage], asMine: Bool = false, tell: @Sendable ([PutBackEnd]) -> Void = { _ in }
  ) async throws(PutBackStopped) -> [PutBackEnd] {
    var tally = PutBackTally(of: messages.count)
    for start in stride(from: 0, to: messages.count, by: Self.portion) {
      let portion = PutBackPortion(messages[start..<min(start + Self.portion, messages.count)], asMine: asMine)
      if !portion.kept.isEmpty { tell(tally.note(portion.kept)) }
      for (exchange, items) in portion.groups {
        let (ends, failure) = await carry(items, to: exchange)
        tell(tally.note(ends))
        if let failure { throw tally.stopped(failure, unsure: items.count) }
      }
    }
    return tally.ends
  }

  /// Publishes messages to one exchange, and takes those off the queue that the broker has confirmed.
  ///
  /// - Returns: the ends that are known, and why no more can be done.
  private func carry(_ items: [PutBackPortion.Item], to exchange: String) async -> ([PutBackEnd], AMQPError?) {
    var ends: [PutBackEnd] = []
    do throws(AMQPError) {
      let results = try await publish(items.map(\.publishing), to: exchange)
      ends = zip(items, results).map { PutBackEnd(message: $0.message, obstacle: $1) }
      let done = ends.filter { $0.obstacle == nil }.map(\.message.deliveryTag)
      if done.isEmpty { return (ends, nil) }
      try await reading.ack(contentsOf: done)
      try await settle()
      return (ends, nil)
    } catch {
      return (ends, error)
    }
  }

  private func publish(_ messages: [Publishing], to exchange: String) async throws(AMQPError) -> [PutBackObstacle?] {
    if let known = obstacles[exchange] { return messages.map { _ in known } }
    do throws(AMQPError) {
      return try await publishInTime(messages, to: exchange).map { result -> PutBackObstacle? in
        switch result {
        case .confirmed: nil
        case .nacked: .queueIsFull(exchange)
        case .returned: .noQueue(exchange)
        case .refused(_, let text): .notTaken(text)
        }
      }
    } catch {
      // The broker refuses the first one already: it has none of them.
      let obstacle = try obstacle(of: exchange, error)
      obstacles[exchange] = obstacle
      return messages.map { _ in obstacle }
    }
  }

  private func publishInTime(
    _ messages: [Publishing], to exchange: String
  ) async throws(AMQPError) -> [PublishResult] {
    let connection = try await connection(to: exchange)
    let limit = Task {
      try await Task.sleep(for: RejectedQueue.publishLimit)
      // Nothing else ends the wait for an answer.
      await connection.close()
    }
    defer { limit.cancel() }
    let began = ContinuousClock.now
    do throws(AMQPError) {
      return try await connection.publish(contentsOf: messages)
    } catch {
      guard case .connectionLost = error, .now - began >= RejectedQueue.publishLimit else { throw error }
      throw .timedOut(operation: "putting messages back by \(exchange)")
    }
  }

  private func obstacle(of exchange: String, _ error: AMQPError) throws(AMQPError) -> PutBackObstacle {
    switch error {
    case .channelClosed(AMQPError.accessRefusedCode, _): return .notPermitted(exchange: exchange, user: node.user)
    case .channelClosed(404, _): return .noQueue(exchange)
    default: throw error
    }
  }

  private func connection(to exchange: String) async throws(AMQPError) -> Connection {
    if let open = publishing[exchange] { return open }
    let connection = try await Connection.open(node, options: options)
    publishing[exchange] = connection
    return connection
  }

  /// Waits until the broker has read the acks: it answers in order.
  private func settle() async throws(AMQPError) { _ = try await count() }

  /// Closes the connections. Messages that were neither dropped nor put back stand in their old places again.
  package func close() async {
    for connection in publishing.values { await connection.close() }
    await reading.close()
  }
}
