import AMQP
import Testing

@testable import Simulator

/// What the model broker does with streams, and in an alarm, as RabbitMQ was seen to do it.
@Suite("A stream of the broker that is a value")
struct ModelStreamTests {
  private static let stream = QueueDeclaration("s", arguments: QueueArguments(type: .stream))

  /// A broker with a stream, and the offsets that each line is given.
  private struct Bench {
    var broker: ModelBroker
    private var settling: [Int] = []
    private(set) var offsets: [Int: [Int64]] = [:]
    private(set) var blocked: [Int] = []
    private(set) var confirmed: [Int] = []

    init(_ manner: Manner = .v4_0, seed: UInt64 = 1) {
      broker = ModelBroker(manner, seed: seed)
      for line in 1...3 { broker.open(line) }
      tell(.declare([stream], []), on: 1)
    }

    mutating func tell(_ request: BrokerRequest, on line: Int) {
      if broker.reads(request, on: line) { broker.receive(request, on: line, at: .zero) }
      listen()
    }

    private mutating func listen() {
      for output in broker.takeOutput() {
        switch output {
        case .frame(.delivery(let delivery), let line):
          offsets[line, default: []] += [delivery.properties.headers["x-stream-offset"]?.int].compactMap(\.self)
        case .frame(.blocked, let line): blocked.append(line)
        case .frame(.published(let number, .confirmed), _): confirmed.append(number)
        case .frame: break
        case .settle(let message, _): settling.append(message)
        }
      }
    }

    mutating func publish(_ numbers: ClosedRange<Int>, settles: Bool = true) {
      for number in numbers {
        tell(.publish(message("m\(number)"), number: number), on: 1)
        if settles { settle() }
      }
    }

    mutating func settle() {
      for message in settling { broker.settle(message, at: .zero) }
      settling = []
      listen()
    }

    mutating func consume(_ prefetch: Int, _ start: StreamStart, on line: Int) {
      tell(.consume(queue: stream.name, tag: "t", prefetch: prefetch, from: start), on: line)
    }
  }

  private static func message(_ text: String) -> Publishing {
    Publishing(exchange: "", routingKey: stream.name, body: Array(text.utf8))
  }

  @Test("a consumer begins where it says; behind the end, once the stream has come so far")
  func starts() {
    let starts: [(StreamStart, [Int64])] = [
      (.first, [0, 1, 2, 3]), (.last, [2, 3]), (.next, [3]), (.offset(1), [1, 2, 3]), (.offset(4), []),
    ]
    for (start, offsets) in starts {
      var bench = Bench()
      bench.publish(1...3)
      bench.consume(0, start, on: 2)
      bench.publish(4...4)
      #expect(bench.offsets[2] ?? [] == offsets, "\(start)")
    }
  }

  @Test("a consumer has no more than its prefetch without acks, and acks take nothing out of the stream")
  func prefetch() {
    var bench = Bench()
    bench.publish(1...4)
    bench.consume(2, .first, on: 2)
    #expect(bench.offsets[2] == [0, 1])
    bench.tell(.ack([2]), on: 2)
    #expect(bench.offsets[2] == [0, 1, 2])
    bench.tell(.hangUp, on: 2)
    bench.consume(0, .first, on: 3)
    #expect(bench.offsets[3] == [0, 1, 2, 3])
  }

  @Test("3.10 delivers what was stored in one go, also where the prefetch is less", arguments: 1...20)
  func overdrawn(seed: UInt64) {
    var bench = Bench(.v3_10, seed: seed)
    bench.publish(1...2, settles: false)
    bench.settle()
    bench.consume(1, .first, on: 2)
    let isOne = bench.broker.streams[Self.stream.name]?.last?.isStoredWithLast == true
    #expect(bench.offsets[2] == (isOne ? [0, 1] : [0]))
    bench.consume(0, .last, on: 3)
    #expect(bench.offsets[3] == (isOne ? [0, 1] : [1]))
  }

  @Test("a crash keeps what was confirmed, and of the rest the first messages")
  func crash() {
    var kept: Set<Int> = []
    for seed in 1...200 {
      var bench = Bench(seed: UInt64(seed))
      bench.publish(1...2)
      bench.publish(3...5, settles: false)
      bench.broker.crash()
      bench.settle()
      bench.broker.open(2)
      bench.consume(0, .first, on: 2)
      let offsets = bench.offsets[2] ?? []
      #expect(offsets == Array(0..<Int64(offsets.count)) && bench.confirmed == [1, 2])
      #expect(bench.broker.keptUnconfirmed == offsets.count - 2)
      kept.insert(offsets.count)
    }
    #expect(kept == [2, 3, 4, 5])
  }

  @Test("in an alarm a connection is read until it publishes; a message without a body is still taken")
  func alarm() {
    var bench = Bench()
    bench.publish(1...3)
    bench.consume(1, .first, on: 1)
    bench.broker.setAlarmed(true)
    bench.tell(.ack([1]), on: 1)
    #expect(bench.offsets[1] == [0, 1] && bench.blocked.isEmpty, "it has published only before the alarm")
    bench.publish(4...4)
    bench.tell(.ack([2]), on: 1)
    #expect(bench.offsets[1] == [0, 1] && bench.blocked == [1] && bench.confirmed == [1, 2, 3])
    bench.tell(.publish(Self.message(""), number: 5), on: 2)
    bench.settle()
    #expect(bench.blocked == [1, 2] && bench.confirmed == [1, 2, 3, 5])
  }
}
