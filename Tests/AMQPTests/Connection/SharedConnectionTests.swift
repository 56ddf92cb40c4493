import BrokerSupport
import Synchronization
import TestSupport
import Testing

@testable import AMQP

/// A connection that many threads use at one time: each sends for itself while the connection's own thread only waits.
@Suite("A connection that many threads use", .timeLimit(.minutes(5)))
struct SharedConnectionTests {
  private func message(_ text: String, to queue: String = "shared") -> Publishing {
    Publishing(
      exchange: "", routingKey: queue, properties: MessageProperties(messageID: text), body: Array(text.utf8))
  }

  private func prepared() async throws -> (Broker, Connection) {
    let broker = try await Broker.make()
    let connection = try await broker.connect()
    try await connection.declare(QueueDeclaration("shared"))
    return (broker, connection)
  }

  @Test("every message arrives once, those of one task in their order, and every confirm comes back")
  func manyPublishers() async throws {
    let (broker, connection) = try await prepared()
    let (tasks, each) = (40, 50)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for number in 0..<each {
            let result = try await connection.publish(message("\(task) \(number)"))
            #expect(result == .confirmed)
          }
        }
      }
      try await group.waitForAll()
    }
    let reader = try await broker.connect("reader")
    let consumer = try await reader.consume("shared", options: ConsumeOptions(prefetch: 5_000))
    let texts = try await take(tasks * each, from: consumer).compactMap(\.text)
    #expect(Set(texts).count == tasks * each)
    for task in 0..<tasks {
      #expect(texts.filter { $0.hasPrefix("\(task) ") } == (0..<each).map { "\(task) \($0)" })
    }
    await reader.close()
    await connection.close()
  }

  @Test("who is told of an answer may publish at once; the messages keep their order")
  func publishingFromAnAnswer() async throws {
    let (_, connection) = try await prepared()
    let done = AsyncStream<Int>.makeStream()
    @Sendable func next(_ number: Int) {
      do throws(AMQPError) {
        try connection.publish(contentsOf: [message("\(number)")]) { result in
          guard case .success([.confirmed]) = result else { return done.continuation.finish() }
          done.continuation.yield(number)
          number < 100 ? next(number + 1) : done.continuation.finish()
        }
      } catch {
        done.continuation.finish()
      }
    }
    next(1)
    let told = try await limited("a hundred answers") { await done.stream.reduce(into: [Int]()) { $0.append($1) } }
    #expect(told == Array(1...100))
    await connection.close()
  }

  @Test("publishers of a connection that is closed are told so, each one")
  func closing() async throws {
    let (_, connection) = try await prepared()
    let ended = try await limited("every publisher") {
      await withTaskGroup(of: Bool.self) { group in
        for task in 0..<20 {
          group.addTask {
            while true {
              guard (try? await connection.publish(message("\(task)"))) != nil else { return true }
            }
          }
        }
        group.addTask {
          await connection.close()
          return true
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
    }
    #expect(ended == 21)
    let answer = AsyncStream<Bool>.makeStream()
    try connection.publish(contentsOf: [message("late")]) { result in
      if case .failure(.closed) = result { answer.continuation.yield(true) }
      answer.continuation.finish()
    }
    #expect(try await limited("the answer") { await answer.stream.first { _ in true } } == true)
  }

  @Test("acks that wait leave by themselves, and when the connection is closed")
  func gatheredAcks() async throws {
    let (broker, connection) = try await prepared()
    for number in 0..<6 { try await connection.put("\(number)", into: "shared") }
    let reader = try await broker.connect("reader")
    // The broker delivers the others once the first are acked.
    let consumer = try await reader.consume("shared", options: ConsumeOptions(prefetch: 3))
    let first = try await take(3, from: consumer)
    reader.ackSoon(contentsOf: first.map(\.deliveryTag))
    let second = try await take(3, from: consumer)
    #expect((first + second).compactMap(\.text) == (0..<6).map(String.init))
    reader.ackSoon(contentsOf: second.map(\.deliveryTag))
    await reader.close()
    try await eventually("the queue is empty", within: .seconds(30)) { try await connection.count(of: "shared") == 0 }
    await connection.close()
  }

  @Test("an ack of no delivery ends the connection")
  func wrongAck() async throws {
    let (_, connection) = try await prepared()
    try await connection.put("a", into: "shared")
    let consumer = try await connection.consume("shared", options: ConsumeOptions(prefetch: 1))
    _ = try await take(1, from: consumer)
    connection.ackSoon(contentsOf: [7])
    #expect(try await limited("the end of the deliveries") { await consumer.nextBatch(atMost: 1) } == nil)
  }

  @Test("a handler takes deliveries as they come, and its consumer ends with the connection")
  func handler() async throws {
    let (_, connection) = try await prepared()
    let texts = AsyncStream<String>.makeStream()
    let consumer = try await connection.consume("shared", options: ConsumeOptions(prefetch: 10)) { batch in
      for delivery in batch { texts.continuation.yield(delivery.text ?? "") }
    }
    for text in ["a", "b", "c"] { try await connection.put(text, into: "shared") }
    let told = try await limited("three deliveries") {
      await texts.stream.prefix(3).reduce(into: [String]()) { $0.append($1) }
    }
    #expect(told == ["a", "b", "c"])
    await connection.close()
    #expect(try await limited("its end") { await consumer.nextBatch(atMost: 1) } == nil)
  }
}
