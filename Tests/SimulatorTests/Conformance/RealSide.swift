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
    /// It has published during an alarm: the broker reads it no longer.
    var isBlocked = false
    /// A publishing that has its answer when the alarm is over.
    var publishing: Task<PublishResult, any Error>?
  }

  private let url: BrokerURL
  private let queue: ConformanceQueue
  /// The broker that raises alarms; nil: it raises none.
  private let node: BrokerNode?
  private var isAlarmed = false
  private var lines: [Line] = []

  init(_ url: BrokerURL, _ queue: ConformanceQueue, alarming node: BrokerNode? = nil) async throws {
    (self.url, self.queue, self.node) = (url, queue, node)
    // Another program may have failed in the middle of an alarm.
    _ = try await setAlarm(false)
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
    if queue.isStream { try await Connection.waitForStream(queue.declaration, at: url) }
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
    _ = try? await setAlarm(false)
    if let connection = lines.first?.connection {
      try? await connection.delete(queue: queue.name)
      try? await connection.delete(exchange: queue.exchange.name)
    }
    for line in lines { await line.connection.close() }
  }

  func perform(_ step: ConformanceStep) async throws -> Seen {
    var seen = Seen(deliveries: lines.map { _ in [] }, waiting: 0)
    seen.results = try await tell(step)
    try await lookAgain(&seen)
    return seen
  }

  private func tell(_ step: ConformanceStep) async throws -> [Int: Seen.Result] {
    switch step {
    case .publish(let line, let text, let priority, let isPersistent, let isGoneAtOnce, let way):
      let message = queue.publishing(text, priority, isGoneAtOnce: isGoneAtOnce, way)
      let result = try await publish(message, isPersistent: isPersistent, on: line)
      return result.map { [line: $0] } ?? [:]
    case .consume(let line, let tag, let prefetch, let start):
      var options = ConsumeOptions(prefetch: UInt16(prefetch), consumerTag: tag)
      if queue.isStream { options.arguments["x-stream-offset"] = start.argument }
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
    // Nothing holds the last connection any more.
    case .lose(let line): lines[line] = try await newLine()
    case .alarm(let isOn): return try await setAlarm(isOn)
    case .delete(let line):
      try await lines[line].connection.delete(queue: queue.name)
      for index in lines.indices { lines[index].held = [] }
      try await declare(on: line)
    }
    return [:]
  }

  private func publish(_ message: Publishing, isPersistent: Bool, on line: Int) async throws -> Seen.Result? {
    let publishing = try begin(message, isPersistent: isPersistent, on: line)
    if isAlarmed, try await isHeld(message, publishing, on: line) { return .held }
    guard let publishing else { return nil }
    return try await answer(to: publishing, on: line)
  }

  /// - Returns: What has the answer; nil: nobody gives one.
  private func begin(
    _ message: Publishing, isPersistent: Bool, on line: Int
  ) throws -> Task<PublishResult, any Error>? {
    let connection = lines[line].connection
    if isPersistent { return Task { try await connection.publish(message) } }
    let transient = TransientPublishing(
      exchange: message.exchange, routingKey: message.routingKey, properties: message.properties, body: message.body)
    try connection.publishSoon(contentsOf: [transient])
    return nil
  }

  /// Waits until the broker, which has an alarm, reads the line no longer.
  ///
  /// - Returns: Whether the message is read, and answered, only when the alarm is over.
  private func isHeld(
    _ message: Publishing, _ publishing: Task<PublishResult, any Error>?, on line: Int
  ) async throws -> Bool {
    let connection = lines[line].connection
    lines[line].isBlocked = true
    try await eventually("the broker says that it is blocked", within: patience) { await connection.isBlocked }
    // The broker has read the header, and with it all of a message without a body.
    if message.body.isEmpty, publishing != nil { return false }
    lines[line].publishing = publishing
    return true
  }

  private func answer(to publishing: Task<PublishResult, any Error>, on line: Int) async throws -> Seen.Result {
    do {
      let result = Seen.Result(try await publishing.value)
      if result == .closed { lines[line] = try await newLine() }
      return result
    } catch {
      lines[line] = try await newLine()
      return .closed
    }
  }

  /// Raises an alarm, or ends it, and waits until all connections have been told.
  ///
  /// - Returns: The answers to what was held.
  private func setAlarm(_ isOn: Bool) async throws -> [Int: Seen.Result] {
    guard let node else { return [:] }
    try await node.ctl("set_vm_memory_high_watermark", isOn ? "0.0000001" : "0.4")
    // The process that answers has told the connections before.
    try await eventually("the broker \(isOn ? "has an" : "has no") alarm", within: patience) {
      try await node.ctl("eval", "rabbit_alarm:get_alarms().").contains("memory") == isOn
    }
    isAlarmed = isOn
    var results: [Int: Seen.Result] = [:]
    for line in lines.indices where !isOn {
      lines[line].isBlocked = false
      guard let publishing = lines[line].publishing else { continue }
      lines[line].publishing = nil
      results[line] = try await answer(to: publishing, on: line)
    }
    return results
  }

  private func giveBack(_ line: Int, _ index: Int, requeue: Bool) async throws {
    let tag = lines[line].held.remove(at: index).deliveryTag
    try await lines[line].connection.nack(tag, requeue: requeue)
  }

  /// Takes what has come, after two questions on each line that the broker reads: the first one comes to the queue
  /// behind everything that the line has said, and the second one's answer comes to the line behind everything that the
  /// queue has sent it.
  func lookAgain(_ seen: inout Seen) async throws {
    for _ in 1...2 {
      for line in lines where !line.isBlocked {
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

extension Connection {
  /// A broker that has just started says for a moment that a stream is down.
  static func waitForStream(_ stream: QueueDeclaration, at url: BrokerURL) async throws {
    try await eventually("the stream is served", within: patience) {
      let connection = try await patient(to: url)
      try await connection.declare(stream)
      let options = ConsumeOptions(prefetch: 1, arguments: ["x-stream-offset": "next"])
      _ = try await connection.consume(stream.name, options: options)
      await connection.close()
      return true
    }
  }
}

extension StreamStart {
  /// As a consumer says it.
  fileprivate var argument: FieldValue {
    switch self {
    case .first: "first"
    case .last: "last"
    case .next: "next"
    case .offset(let number): .int(Int64(number))
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
