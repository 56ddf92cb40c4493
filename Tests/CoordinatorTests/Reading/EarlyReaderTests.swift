import AMQP
import BrokerSupport
import JobModel
import Logging
import TestSupport
import Testing

@testable import BooksSupport
@testable import Coordinator
@testable import JobTransport

@Suite("The reader of the early queue", .timeLimit(.minutes(10)))
struct EarlyReaderTests {
  @Test("records what comes early, and leaves what is too large for that, or nonsense, to the durable queue")
  func limits() async throws {
    let books = try await Books()
    let url = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await Connection.patient(to: url)
    try await Topology.declareAll(on: connection, departments: [])
    let reader = EarlyReader(
      bookkeeper: books.bookkeeper,
      connections: BrokerConnections(
        node: try BrokerURL(url), consuming: connection, recording: connection, intake: connection,
        publishing: connection, source: BrokerSource(try BrokerURL(url)), logger: Logger(label: "test")),
      consumer: try await connection.consume(Topology.Queue.early, options: ConsumeOptions(prefetch: 10)),
      outbox: books.outbox)
    let reading = Task { try await reader.run() }
    let reply = ReplyAddress(replyTo: "teller.reply.test", correlationID: "c", wait: .accepted)
    let large = Submission(
      id: JobID(), kind: "deposit", payload: [UInt8](repeating: 0, count: EarlyCodec.byteLimit + 1), reply: reply)
    let small = Submission(id: JobID(), kind: "deposit", payload: [1], reply: reply)
    let nonsense = Publishing(exchange: Topology.Exchange.submitEarly, routingKey: "", body: [1])
    for message in [SubmissionCodec.encode(large), nonsense, SubmissionCodec.encode(small)] {
      try await connection.publish(
        TransientPublishing(
          exchange: Topology.Exchange.submitEarly, routingKey: Topology.RoutingKey.submit,
          properties: message.properties, body: message.body))
    }
    try await eventually("the small one is recorded", within: patience) { try await books.job(small.id) != nil }
    #expect(try await books.job(large.id) == nil)
    reading.cancel()
    _ = await reading.result
    await connection.close()
  }
}
