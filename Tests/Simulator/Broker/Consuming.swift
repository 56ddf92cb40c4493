import AMQP
import JobTransport

// Queues and their consumers.
extension ModelBroker {
  mutating func declare(_ declarations: [QueueDeclaration], _ bindings: [QueueBinding], on line: Int) {
    for declaration in declarations {
      if let queue = queues[declaration.name] {
        if let owner = queue.owner, owner != line {
          return close(line, .channelClosed(code: 405, text: "RESOURCE_LOCKED - '\(declaration.name)'"), at: .zero)
        }
      } else if declaration.arguments.type == .stream {
        if streams[declaration.name] == nil { streams[declaration.name] = [] }
      } else {
        queues[declaration.name] = ModelQueue(declaration, owner: line, manner)
      }
    }
    for binding in bindings {
      guard exchanges[binding.exchange] != nil else {
        return close(line, .channelClosed(code: 404, text: "NOT_FOUND - no exchange '\(binding.exchange)'"), at: .zero)
      }
      if !self.bindings.contains(binding) { self.bindings.append(binding) }
    }
    say(.declared, line)
  }

  /// The exchanges are there.
  mutating func declare(_ declarations: [ExchangeDeclaration]) {
    for declaration in declarations { exchanges[declaration.name] = declaration.kind }
  }

  mutating func delete(_ name: String) {
    for consumer in queues[name]?.consumers ?? [] { say(.ended(tag: consumer.tag), consumer.line) }
    queues[name] = nil
    bindings.removeAll { $0.queue == name }
    lines = lines.mapValues { line in
      var line = line
      line.unacked = line.unacked.filter { $0.value.queue != name }
      return line
    }
  }

  mutating func consume(
    _ name: String, _ tag: String, _ prefetch: Int, from start: StreamStart, on line: Int, at now: Duration
  ) {
    if streams[name] != nil { return consumeStream(name, tag, prefetch, from: start, on: line) }
    guard queues[name] != nil else {
      return close(line, .channelClosed(code: 404, text: "NOT_FOUND - no queue '\(name)'"), at: now)
    }
    say(.consuming(tag: tag), line)
    queues[name]?.consumers.append(ModelQueue.Consumer(line: line, tag: tag, prefetch: prefetch))
    deliver(name, at: now)
  }

  /// The deliveries of a consumer stay un-acked when it is cancelled.
  mutating func cancel(_ tag: String, on line: Int, at now: Duration) {
    lines[line]?.streams[tag] = nil
    for name in queues.keys.sorted() {
      guard let index = queues[name]?.consumers.firstIndex(where: { $0.line == line && $0.tag == tag }) else {
        continue
      }
      removeConsumer(index, of: name, at: now)
    }
  }

  private mutating func removeConsumer(_ index: Int, of name: String, at now: Duration) {
    guard var queue = queues[name] else { return }
    queue.remove(at: index, &random)
    queues[name] = queue
    if queue.declaration.isAutoDelete, queue.consumers.isEmpty { return delete(name) }
    deliver(name, at: now)
  }

  /// Delivers what may be delivered: to any of the consumers that have room.
  mutating func deliver(_ name: String, at now: Duration) {
    if streams[name] != nil { return deliverStream(name) }
    while let queue = queues[name] {
      let ready = queue.ready
      guard let index = ready.randomElement(using: &random),
        let message = queues[name]?.takeNext(at: now, &random)
      else { return }
      queues[name]?.consumers[index].outstanding += 1
      let consumer = queue.consumers[index]
      hand(message, to: consumer, from: name)
    }
  }

  private mutating func hand(_ message: ModelMessage, to consumer: ModelQueue.Consumer, from name: String) {
    guard var line = lines[consumer.line] else { return }
    line.lastTag += 1
    line.unacked[line.lastTag] = (name, consumer.tag, message)
    lines[consumer.line] = line
    say(.delivery(ModelBroker.delivery(of: message, tag: line.lastTag, to: consumer.tag)), consumer.line)
  }

  static func delivery(of message: ModelMessage, tag: UInt64, to consumer: String) -> Delivery {
    var properties = message.properties
    properties.deliveryMode = message.isPersistent ? 2 : 1
    return Delivery(
      consumerTag: consumer, deliveryTag: tag, isRedelivered: message.isRedelivered, exchange: message.exchange,
      routingKey: message.routingKey, properties: properties, body: .bytes(message.body))
  }

  /// A client may say it of several at once, or one by one: in between the broker may deliver, or not. A stream forgets
  /// nothing, and its consumer may get one more.
  mutating func ack(_ tags: [UInt64], on line: Int, at now: Duration) {
    var freed: Set<String> = []
    for tag in tags {
      guard let delivered = lines[line]?.unacked.removeValue(forKey: tag) else { continue }
      queues[delivered.queue]?.noteAcked(delivered.message)
      queues[delivered.queue]?.free(delivered.tag, of: line)
      lines[line]?.streams[delivered.tag]?.credit? += 1
      freed.insert(delivered.queue)
      if chance(50) { deliver(delivered.queue, at: now) }
    }
    for name in freed.sorted() { deliver(name, at: now) }
  }

  /// The messages go back, each to the head of its level, as if it had been delivered before.
  mutating func requeue(_ tags: [UInt64], on line: Int, at now: Duration) {
    var freed: [(tag: String, queue: String)] = []
    var back: [String: [ModelMessage]] = [:]
    for tag in tags {
      guard let delivered = lines[line]?.unacked.removeValue(forKey: tag) else { continue }
      var message = delivered.message
      message.isRedelivered = true
      back[delivered.queue, default: []].append(message)
      freed.append((delivered.tag, delivered.queue))
    }
    for (name, messages) in back { queues[name]?.putBack(messages) }
    for (tag, name) in freed {
      queues[name]?.free(tag, of: line)
      deliver(name, at: now)
    }
  }
}
