import AMQP
import BrokerSupport
import JobModel
import Logging
import TestSupport
import Testing

@testable import BooksSupport
@testable import Coordinator
@testable import JobTransport

@Suite("The comparison of the ledger with the notification stream", .timeLimit(.minutes(10)))
struct EpochCheckTests {
  /// Stops or continues the process of the broker that takes messages for the stream.
  private func stream(_ order: String, at url: BrokerURL) async throws {
    try await BrokerNode.shared.ctl(
      "eval",
      """
      {ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"\(url.virtualHost)">>, queue, \
      <<"\(Topology.Queue.notifications)">>)), sys:\(order)(amqqueue:get_pid(Queue)).
      """)
  }

  @Test("ends within its limit when the stream confirms nothing, and leaves the connections of the coordinator open")
  func silentStream() async throws {
    let books = try await Books()
    let url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    let connection = try await Connection.patient(to: url)
    try await Topology.declareAll(on: connection, departments: [])
    let log = Logger(label: "teller.test")
    let check = EpochCheck(
      bookkeeper: books.bookkeeper,
      connections: BrokerConnections(
        node: url, consuming: connection, recording: connection, intake: connection, publishing: connection,
        source: BrokerSource(url), logger: log),
      session: BrokerSession(url: url, name: "epochs", logger: log), logger: log, limit: .milliseconds(300))
    try await stream("suspend", at: url)
    try await limited("the check goes on without an answer") { try await check.run() }
    try await stream("resume", at: url)
    try await limited("the stream is asked again") { try await check.run() }
    #expect(try await connection.state(of: Topology.Queue.reports).messageCount == 0)
    await connection.close()
  }
}
