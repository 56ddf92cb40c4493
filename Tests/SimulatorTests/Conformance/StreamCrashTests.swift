import AMQP
import BrokerSupport
import TestSupport
import Testing

@testable import Simulator

/// What is on disk of a stream whose broker is killed: the broker that is a value must be able to leave the same.
@Suite("A stream whose broker is killed while somebody publishes")
struct StreamCrashTests {
  private static let stream = QueueDeclaration("conformance.stream", arguments: QueueArguments(type: .stream))
  /// So many messages are under way at a time.
  private static let wave = 32
  /// The broker is killed once so many waves are confirmed.
  private static let waves = 40
  /// Many more than a crash has outcomes.
  private static let choices: UInt64 = 2_000

  @Test("has what was confirmed, and of the rest the first messages")
  func crash() async throws {
    let node = try await BrokerNode.start()
    let url = try BrokerURL(node.url)
    try await Connection.waitForStream(Self.stream, at: url)
    try await node.writeDown()
    let confirmed = try await publish(until: node, at: url)
    try await node.start()
    let kept = try await read(at: url)
    #expect(kept == Array(0..<kept.count).map { "\($0)" })
    let more = kept.count - confirmed
    #expect(Self.modelKeeps.contains(more), "\(confirmed) were confirmed, and \(kept.count) are there")
    try await node.close()
  }

  /// Publishes wave after wave, until the broker is gone.
  ///
  /// - Returns: How many messages are confirmed.
  private func publish(until node: BrokerNode, at url: BrokerURL) async throws -> Int {
    let connection = try await Connection.patient(to: url)
    var killing: Task<Void, any Error>?
    var confirmed = 0
    while true {
      let messages = (confirmed..<(confirmed + Self.wave)).map { Self.message("\($0)") }
      guard let results = try? await connection.publish(contentsOf: messages) else { break }
      #expect(results.allSatisfy { $0 == .confirmed })
      confirmed += Self.wave
      if confirmed == Self.wave * Self.waves { killing = Task { try await node.kill() } }
    }
    try await killing?.value
    return confirmed
  }

  /// All messages of the stream, up to one that marks its end.
  private func read(at url: BrokerURL) async throws -> [String] {
    try await Connection.waitForStream(Self.stream, at: url)
    let connection = try await Connection.patient(to: url)
    #expect(try await connection.publish(Self.message("end")) == .confirmed)
    let options = ConsumeOptions(prefetch: 100, arguments: ["x-stream-offset": "first"])
    let consumer = try await connection.consume(Self.stream.name, options: options)
    var texts: [String] = []
    while texts.last != "end" {
      let batch = try await limited("the rest of the stream") { try await consumer.batch(atMost: 100) }
      try await connection.ack(contentsOf: batch.map(\.deliveryTag))
      texts += batch.map { Seen.Message($0).text }
    }
    await connection.close()
    return Array(texts.dropLast())
  }

  private static func message(_ text: String) -> Publishing {
    Publishing(exchange: "", routingKey: stream.name, body: Array(text.utf8))
  }

  /// How many messages of a wave the model may have after a crash that none was confirmed of.
  private static var modelKeeps: Set<Int> {
    var broker = ModelBroker(.v3_10, seed: 0)
    broker.open(1)
    broker.receive(.declare([stream], []), on: 1, at: .zero)
    for number in 0..<wave { broker.receive(.publish(message("\(number)"), number: number), on: 1, at: .zero) }
    return Set(
      (0..<choices).map { seed in
        var crashed = broker
        crashed.random = SeededRandom(seed: seed)
        crashed.crash()
        return crashed.streams[stream.name]?.count ?? 0
      })
  }
}
