import AMQP
import JobTransport
import Testing

@testable import Simulator

/// What the model broker does, as RabbitMQ was seen to do it.
@Suite("The broker that is a value")
struct ModelBrokerTests {
  private static let queue = "q"

  /// A broker with one queue, and what it says on each connection.
  private final class Bench {
    var broker: ModelBroker
    private var settling: [(Int, Duration)] = []
    private(set) var said: [Int: [BrokerFrame]] = [:]
    var now: Duration = .zero

    init(_ arguments: QueueArguments, manner: Manner = .v3_10, seed: UInt64 = 1, lines: Int = 3) {
      broker = ModelBroker(manner, seed: seed)
      for line in 1...lines { broker.open(line) }
      tell(.declare([QueueDeclaration(queue, arguments: arguments)], []), on: 1)
    }

    func tell(_ request: BrokerRequest, on line: Int) {
      broker.receive(request, on: line, at: now)
      listen()
    }

    func listen() {
      for output in broker.takeOutput() {
        switch output {
        case .frame(let frame, let line): said[line, default: []].append(frame)
        case .settle(let message, let delay): settling.append((message, now + delay))
        }
      }
    }

    func settle() {
      for (message, time) in settling.sorted(by: { $0.1 < $1.1 }) {
        now = max(now, time)
        broker.settle(message, at: now)
      }
      settling = []
      listen()
    }

    func publish(_ text: String, priority: UInt8 = 0, number: Int? = 1, on line: Int = 1) {
      let message = Publishing(
        exchange: "", routingKey: queue, properties: MessageProperties(priority: priority), body: Array(text.utf8))
      tell(.publish(message, number: number), on: line)
    }

    func reads(_ request: BrokerRequest, on line: Int) -> Bool { broker.reads(request, on: line) }

    func deliveries(_ line: Int) -> [Delivery] {
      (said[line] ?? []).compactMap { if case .delivery(let delivery) = $0 { delivery } else { nil } }
    }

    func texts(_ line: Int) -> [String] {
      deliveries(line).map { delivery in
        guard case .bytes(let bytes) = delivery.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
      }
    }

    func results(_ line: Int) -> [PublishResult] {
      (said[line] ?? []).compactMap { if case .published(_, let result) = $0 { result } else { nil } }
    }
  }

  private static func classic(priorities: UInt8? = nil) -> QueueArguments {
    var arguments = QueueArguments(type: .classic)
    arguments.maxPriority = priorities
    return arguments
  }

  @Test("priorities are strict among what waits, and a message that comes back is the first of its level")
  func priorities() {
    let bench = Bench(Self.classic(priorities: 9))
    for (text, priority) in [("a", 1), ("b", 5), ("c", 5), ("d", 9)] { bench.publish(text, priority: UInt8(priority)) }
    bench.tell(.consume(queue: Self.queue, tag: "t", prefetch: 1), on: 2)
    bench.tell(.requeue([1]), on: 2)
    bench.tell(.ack([2]), on: 2)
    bench.tell(.ack([3]), on: 2)
    #expect(bench.texts(2) == ["d", "d", "b", "c"])
    #expect(bench.deliveries(2).map(\.isRedelivered) == [false, true, false, false])
  }

  @Test("a consumer has no more than its prefetch, and keeps what it has when it is cancelled")
  func prefetch() {
    let bench = Bench(Self.classic())
    for text in ["a", "b", "c"] { bench.publish(text) }
    bench.tell(.consume(queue: Self.queue, tag: "t", prefetch: 2), on: 2)
    #expect(bench.texts(2) == ["a", "b"])
    bench.tell(.cancel(tag: "t"), on: 2)
    bench.tell(.ack([1]), on: 2)
    #expect(bench.texts(2) == ["a", "b"])
    bench.tell(.hangUp, on: 2)
    bench.tell(.consume(queue: Self.queue, tag: "u", prefetch: 0), on: 3)
    #expect(bench.texts(3) == ["b", "c"])
    #expect(bench.deliveries(3).map(\.isRedelivered) == [true, false])
  }

  @Test("a message that no queue takes is returned, and one for an exchange that is missing ends the connection")
  func unroutable() {
    let bench = Bench(Self.classic())
    bench.tell(.publish(Publishing(exchange: "", routingKey: "other", body: []), number: 7), on: 1)
    #expect(bench.results(1) == [.returned(code: 312, text: "NO_ROUTE")])
    bench.tell(.publish(Publishing(exchange: "other", routingKey: "", body: []), number: 8), on: 1)
    #expect(bench.said[1]?.contains { if case .closed = $0 { true } else { false } } == true)
  }

  @Test("one active consumer: the next one is served when the first is gone")
  func oneActive() {
    var arguments = Self.classic()
    arguments.singleActiveConsumer = true
    let bench = Bench(arguments)
    bench.tell(.consume(queue: Self.queue, tag: "t", prefetch: 1), on: 2)
    bench.tell(.consume(queue: Self.queue, tag: "u", prefetch: 1), on: 3)
    bench.publish("a")
    bench.publish("b")
    #expect(bench.texts(2) == ["a"] && bench.texts(3).isEmpty)
    bench.tell(.hangUp, on: 2)
    #expect(bench.texts(3) == ["a"])
  }

  @Test("a full queue that refuses nacks; one that drops loses what is the most urgent")
  func full() {
    var arguments = Self.classic(priorities: 9)
    arguments.maxLength = 1
    let dropping = Bench(arguments)
    dropping.publish("urgent", priority: 9)
    dropping.publish("last", priority: 1)
    dropping.tell(.consume(queue: Self.queue, tag: "t", prefetch: 0), on: 2)
    #expect(dropping.texts(2) == ["last"])
    arguments.overflow = .rejectPublish
    let refusing = Bench(arguments)
    refusing.publish("first")
    refusing.publish("second")
    refusing.settle()
    #expect(Set(refusing.results(1)) == [.confirmed, .nacked])
  }

  @Test(
    "a crash keeps what was confirmed, loses what was transient, and marks everything as redelivered", arguments: 1...20
  )
  func crash(seed: UInt64) {
    let bench = Bench(Self.classic(), seed: seed)
    bench.publish("safe")
    bench.settle()
    bench.publish("unknown")
    bench.publish("transient", number: nil)
    bench.broker.crash()
    bench.broker.open(2)
    bench.tell(.consume(queue: Self.queue, tag: "t", prefetch: 0), on: 2)
    #expect([["safe"], ["safe", "unknown"]].contains(bench.texts(2)))
    #expect(Set(bench.deliveries(2).map(\.isRedelivered)) == [true])
  }

  @Test("an alarm: a connection that publishes is read no more, and one that only consumes is")
  func alarm() {
    let bench = Bench(Self.classic())
    bench.broker.setAlarmed(true)
    let message = BrokerRequest.publish(Publishing(exchange: "", routingKey: Self.queue, body: [1]), number: 1)
    #expect(!bench.reads(message, on: 1))
    #expect(!bench.reads(.ack([1]), on: 1))
    #expect(bench.reads(.ack([1]), on: 2))
    bench.listen()
    #expect(bench.said[1]?.contains { if case .blocked = $0 { true } else { false } } == true)
    bench.broker.setAlarmed(false)
    #expect(bench.reads(message, on: 1))
  }
}
