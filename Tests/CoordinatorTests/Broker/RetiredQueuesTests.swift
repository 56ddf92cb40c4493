import AMQP
import BrokerSupport
import Logging
import TestSupport
import Testing

@testable import BooksSupport
@testable import Coordinator
@testable import JobTransport

@Suite("The queues of an earlier version", .timeLimit(.minutes(10)))
struct RetiredQueuesTests {
  @Test("are read to their end also when the broker drops the mark of it", arguments: Topology.Mail.allCases)
  func lostMark(mail: Topology.Mail) async throws {
    let (books, url) = (try await Books(), try await BrokerNode.shared.makeVirtualHost())
    let (connection, node) = (try await Connection.patient(to: url), try BrokerURL(url))
    // As by a policy with message-ttl: a message is dropped as it arrives, unless a consumer is waiting just then.
    var arguments = QueueArguments(type: .classic)
    arguments.messageTTL = .zero
    let names = Topology.retired.filter { $0.contents == mail }.map(\.name)
    for name in names { try await connection.declare(QueueDeclaration(name, arguments: arguments)) }
    let logger = Logger(label: "teller.test")
    let retired = RetiredQueues(
      bookkeeper: books.bookkeeper,
      connections: BrokerConnections(
        node: node, consuming: connection, recording: connection, intake: connection, publishing: connection,
        source: BrokerSource(node), logger: logger),
      logger: logger, markLimit: .milliseconds(100))
    try await limited("the queue is read to its end") { try await retired.empty(of: mail) { _, _ in } }
    try await eventually("the queue is gone", within: patience) {
      let queues = try await BrokerNode.shared.queues(of: url)
      return names.allSatisfy { queues[$0] == nil }
    }
    await connection.close()
  }

  @Test("are read twice to any mark of their end, and marked again where none comes in time, whatever else comes")
  func reading() {
    var reading = RetiredReading(limit: .seconds(5))
    reading.note(.end("a"), at: .zero)
    let early = reading.read(probes: [], at: .seconds(4))
    let late = reading.read(probes: ["of another session"], at: .seconds(5))
    #expect(!early && late)
    reading.note(.end("b"), at: .seconds(5))
    let first = reading.read(probes: ["a"], at: .seconds(6))
    #expect(first && !reading.isOver, "the earlier mark came after all")
    reading.note(.end("c"), at: .seconds(6))
    let leftOver = reading.read(probes: ["b"], at: .seconds(7))
    #expect(!leftOver && !reading.isOver, "b was published before the second round")
    let second = reading.read(probes: ["c"], at: .seconds(8))
    #expect(!second && reading.isOver)
  }

  @Test("are marked again as soon as something was read of one that is full, and never where there is none")
  func fullOrGone() {
    var full = RetiredReading(limit: .seconds(5))
    full.note(.full, at: .seconds(1))
    let isDue = full.read(probes: [], at: .seconds(1))
    #expect(isDue && !full.isOver)
    full.note(.gone, at: .seconds(2))
    #expect(full.isOver)
  }
}
