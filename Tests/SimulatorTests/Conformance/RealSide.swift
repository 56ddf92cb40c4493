import AMQP
import BrokerSupport
import TestSupport

@testable import Simulator

/// A real broker, and what was seen of it.
final class RealSide {
  private struct Line {
    var connection: Connection
    var inbox = DeliveryInbox()
    var held: [Delivery] = []
  }

  private let url: BrokerURL
  private let queue: ConformanceQueue
  private var lines: [Line] = []

  init(_ url: BrokerURL, _ queue: ConformanceQueue) async throws {
    (self.url, self.queue) = (url, queue)
    try await openLines()
  }

  /// How many deliveries each line has.
  var held: [Int] { lines.map(\.held.count) }
  /// How the broker does what versions do differently.
  var manner: Manner { Manner(lines[0].connection.serverVersion) }

  /// Opens all connections, and declares everything, as Teller does on each new connection: a broker that is killed may lose
  /// a binding that it has just made.
  func openLines() async throws {
    lines = []
    for _ in 0..<ConformanceQueue.lines { lines.append(try await newLine()) }
    try await lines[0].connection.declare(queue.exchange)
    try await declare(on: 0)
  }

  private func newLine() async throws -> Line { Line(connection: try await .patient(to: url)) }

  private func declare(on line: Int) async throws {
    try await lines[line].connection.declare(queue.declaration)
    try await lines[line].connection.bind(
      queue: queue.name, exchange: queue.exchange.name, routingKey: queue.binding.key)
  }

  func close() async {
    if let connection = lines.first?.connection {
      try? await connection.delete(queue: queue.name)
      try? await connection.delete(exchange: queue.exchange.name)
    }
    for line in lines { await line.connection.close() }
  }

  func perform(_ step: ConformanceStep) async throws -> Seen {
    var seen = Seen(deliveries: lines.map { _ in [] }, waiting: 0)
    seen.result = try await tell(step)
    try await lookAgain(&seen)
    return seen
  }

  private func tell(_ step: ConformanceStep) async throws -> Seen.Result? {
    switch step {
    case .publish(let line, let text, let priority, let isPersistent, let isGoneAtOnce, let way):
      let message = queue.publishing(text, priority, isGoneAtOnce: isGoneAtOnce, way)
      return try await publish(message, isPersistent: isPersistent, on: line)
    case .consume(let line, let tag, let prefetch):
      let options = ConsumeOptions(prefetch: UInt16(prefetch), consumerTag: tag)
      _ = try await lines[line].connection.consume(queue.name, options: options, into: lines[line].inbox)
    case .cancel(let line, let tag): try await lines[line].connection.cancel(tag)
    case .ack(let line, let indices):
      let tags = indices.map { lines[line].held[$0].deliveryTag }
      for index in indices.reversed() { lines[line].held.remove(at: index) }
      try await lines[line].connection.ack(contentsOf: tags)
    case .requeue(let line, let index): try await giveBack(line, index, requeue: true)
    case .reject(let line, let index): try await giveBack(line, index, requeue: false)
    case .hangUp(let line):
      await lines[line].connection.close()
      lines[line] = try await newLine()
    case .delete(let line):
      try await lines[line].connection.delete(queue: queue.name)
      for index in lines.indices { lines[index].held = [] }
      try await declare(on: line)
    }
    return nil
  }

  private func publish(_ message: Publishing, isPersistent: Bool, on line: Int) async throws -> Seen.Result? {
    guard isPersistent else {
      let transient = TransientPublishing(
        exchange: message.exchange, routingKey: message.routingKey, properties: message.properties, body: message.body)
      try lines[line].connection.publishSoon(contentsOf: [transient])
      return nil
    }
    do {
      let result = Seen.Result(try await lines[line].connection.publish(message))
      if result == .closed { lines[line] = try await newLine() }
      return result
    } catch {
      lines[line] = try await newLine()
      return .closed
    }
  }

  private func giveBack(_ line: Int, _ index: Int, requeue: Bool) async throws {
    let tag = lines[line].held.remove(at: index).deliveryTag
    try await lines[line].connection.nack(tag, requeue: requeue)
  }

  /// Takes what has come, after two questions on each line: the first one comes to the queue behind everything that the
  /// line has said, and the second one's answer comes to the line behind everything that the queue has sent it.
  func lookAgain(_ seen: inout Seen) async throws {
    for _ in 1...2 {
      for line in lines {
        let waiting = try await line.connection.declare(queue.declaration).messageCount
        seen.waiting = queue.isCounted ? waiting : 0
      }
    }
    for index in lines.indices {
      let waiting = lines[index].inbox.takeWaiting()
      lines[index].held += waiting
      seen.deliveries[index] += waiting.map { Seen.Message($0) }
    }
  }
}

extension Manner {
  /// The manner of a version, or of the last one before it that the model knows.
  init(_ version: String) {
    let numbers = version.split(separator: ".").compactMap { Int($0) }
    let (major, minor) = (numbers.first ?? 3, numbers.dropFirst().first ?? 0)
    self = major < 4 ? .v3_10 : minor < 3 ? .v4_0 : .v4_3
  }
}
