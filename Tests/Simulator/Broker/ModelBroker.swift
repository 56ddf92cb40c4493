import AMQP
import JobTransport
import TestSupport

/// A message broker as a value: what it is told goes in, with the time, and what it says on which connection comes out. It is
/// RabbitMQ as far as Teller uses it, with every choice that RabbitMQ does not promise made by chance.
package struct ModelBroker: Sendable {
  /// What comes out.
  package enum Output: Sendable {
    case frame(BrokerFrame, line: Int)
    /// Hand this number to ``settle(_:at:)`` after that time.
    case settle(Int, after: Duration)
  }

  /// A publishing that has no answer yet.
  private struct Unsettled: Sendable {
    let line: Int
    let number: Int?
    let message: Int
    let queues: [String]
  }

  struct Line: Sendable {
    var unacked: [UInt64: (queue: String, tag: String, message: ModelMessage)] = [:]
    var lastTag: UInt64 = 0
    /// Its consumers of streams, by their tags.
    var streams: [String: StreamReading] = [:]
    /// It has published during an alarm, and is not read until that is over.
    var isBlocked = false
  }

  package let manner: Manner
  var queues: [String: ModelQueue] = [:]
  /// The messages of each stream that are confirmed.
  package internal(set) var streams: [String: [ModelMessage]] = [:]
  /// Those of a stream that are not.
  var unstored: [Int: (stream: String, message: ModelMessage)] = [:]
  /// The number of the last message that was published when a stream stored one the last time.
  var publishedAtLastStore: [String: Int] = [:]
  /// How many messages streams had after a crash that were not confirmed before.
  package internal(set) var keptUnconfirmed = 0
  var exchanges: [String: ExchangeDeclaration.Kind] = [:]
  /// Whose this virtual host is, by the exchange that says so; nil: it is not there.
  var claim: String?
  var bindings: [QueueBinding] = []
  var lines: [Int: Line] = [:]
  private var unsettled: [Int: Unsettled] = [:]
  private(set) var lastNumber = 0
  package internal(set) var isAlarmed = false
  /// Until when nothing of a queue settles before: quorum queues and streams answer in order.
  private var settled: [String: Duration] = [:]
  var random: SeededRandom
  private var output: [Output] = []

  package init(_ manner: Manner, seed: UInt64) {
    self.manner = manner
    random = SeededRandom(seed: seed)
  }

  mutating func say(_ frame: BrokerFrame, _ line: Int) { output.append(.frame(frame, line: line)) }

  package mutating func takeOutput() -> [Output] {
    defer { output = [] }
    return output
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  /// What was under way when the broker was killed has no answer.
  mutating func forgetUnsettled() {
    (unsettled, unstored, settled, publishedAtLastStore) = ([:], [:], [:], [:])
  }

  func has(_ queue: String) -> Bool { queues[queue] != nil }

  package mutating func open(_ line: Int) { lines[line] = Line() }

  /// Takes in what came on a connection.
  package mutating func receive(_ request: BrokerRequest, on line: Int, at now: Duration) {
    guard lines[line] != nil else { return }
    switch request {
    case .publish(let message, let number): publish(message, number, on: line, at: now)
    case .declare(let declarations, let bindings): declare(declarations, bindings, on: line)
    case .ask(let declaration):
      declare([declaration], [], on: line)
      queues[declaration.name]?.expire(at: now, &random)
      if lines[line] != nil {
        say(.counted(queue: declaration.name, messages: queues[declaration.name]?.count ?? 0), line)
      }
    case .delete(let name):
      delete(name)
      say(.deleted(queue: name), line)
    case .consume(let queue, let tag, let prefetch, let start):
      consume(queue, tag, prefetch, from: start, on: line, at: now)
    case .cancel(let tag):
      cancel(tag, on: line, at: now)
      say(.cancelled(tag: tag), line)
    case .ack(let tags): ack(tags, on: line, at: now)
    case .requeue(let tags): requeue(tags, on: line, at: now)
    case .reject(let tags): ack(tags, on: line, at: now)
    case .hangUp: end(line, at: now)
    }
  }
}

// Publishing.
extension ModelBroker {
  private mutating func publish(_ publishing: Publishing, _ number: Int?, on line: Int, at now: Duration) {
    guard let names = route(publishing) else {
      return close(line, .channelClosed(code: 404, text: "NOT_FOUND - no exchange '\(publishing.exchange)'"), at: now)
    }
    lastNumber += 1
    let message = ModelMessage(
      number: lastNumber, exchange: publishing.exchange, routingKey: publishing.routingKey,
      properties: publishing.properties, body: publishing.body, isPersistent: number != nil, isSafe: false)
    if names.isEmpty {
      if let number { say(.published(number: number, .returned(code: 312, text: "NO_ROUTE")), line) }
      return
    }
    var (taken, isNacked) = ([String](), false)
    for name in names {
      if streams[name] != nil {
        taken.append(name)
      } else if add(message, to: name, at: now) {
        taken.append(name)
      } else {
        isNacked = true
      }
    }
    if isNacked {
      if let number { say(.published(number: number, .nacked), line) }
    }
    settleLater(message, isNacked ? nil : number, taken, on: line, at: now)
    for name in taken where queues[name] != nil { deliver(name, at: now) }
  }

  /// - Returns: false: the queue takes no further message.
  private mutating func add(_ message: ModelMessage, to name: String, at now: Duration) -> Bool {
    guard var queue = queues[name] else { return false }
    queue.expire(at: now, &random)
    if queue.isFull, queue.isRejecting { return false }
    var message = message
    let own = message.properties.expiration.flatMap { Int($0) }.map { Duration.milliseconds($0) }
    let life = [own, queue.declaration.arguments.messageTTL].compactMap(\.self).min()
    message.expiresAt = life.map { now + $0 }
    queue.append(message)
    // A consumer that waits has it before the queue looks at its length.
    if queue.ready.isEmpty { queue.dropOverflow() }
    queues[name] = queue
    return true
  }

  private mutating func settleLater(
    _ message: ModelMessage, _ number: Int?, _ names: [String], on line: Int, at now: Duration
  ) {
    let stream = names.first { streams[$0] != nil }
    let inOrder = names.first { streams[$0] != nil || queues[$0]?.isQuorum == true }
    var time = now + .microseconds(Int.random(in: 200...(chance(10) ? 80_000 : 3_000), using: &random))
    if let inOrder {
      time = max(time, settled[inOrder] ?? .zero)
      settled[inOrder] = time
    }
    if let stream { unstored[message.number] = (stream, message) }
    unsettled[message.number] = Unsettled(line: line, number: number, message: message.number, queues: names)
    output.append(.settle(message.number, after: time - now))
  }

  /// The broker has stored a message: it answers, and a crash does not lose the message.
  package mutating func settle(_ message: Int, at now: Duration) {
    guard let over = unsettled.removeValue(forKey: message) else { return }
    if let (stream, message) = unstored.removeValue(forKey: message) {
      storeInStream(message, stream)
      deliverStream(stream)
    }
    for name in over.queues {
      queues[name]?.markSafe(over.message)
      markDeliveredSafe(over.message)
      if queues[name]?.isQuorum == true { deliver(name, at: now) }
    }
    if let number = over.number, lines[over.line] != nil { say(.published(number: number, .confirmed), over.line) }
  }

  private mutating func markDeliveredSafe(_ number: Int) {
    for (id, line) in lines {
      for (tag, delivered) in line.unacked where delivered.message.number == number {
        lines[id]?.unacked[tag]?.message.isSafe = true
      }
    }
  }

  /// The queues that a message goes to; nil: there is no such exchange.
  private func route(_ message: Publishing) -> [String]? {
    if message.exchange.isEmpty {
      let isThere = queues[message.routingKey] != nil || streams[message.routingKey] != nil
      return isThere ? [message.routingKey] : []
    }
    guard let kind = exchanges[message.exchange] else { return nil }
    var names: [String] = []
    for binding in bindings where binding.exchange == message.exchange && !names.contains(binding.queue) {
      if kind.matches(binding.key, message.routingKey) { names.append(binding.queue) }
    }
    return names
  }
}

extension ExchangeDeclaration.Kind {
  /// Whether a binding's key takes a message's.
  fileprivate func matches(_ binding: String, _ key: String) -> Bool {
    switch self {
    case .fanout: true
    case .topic: binding == key || binding.hasSuffix("#") && key.hasPrefix(binding.dropLast())
    case .direct, .named: binding == key
    }
  }
}
