import AMQP
import Bookkeeping
import BrokerSupport
import JobModel
import Ledger
import Logging
import TestSupport
import Testing

@testable import BooksSupport
@testable import Coordinator
@testable import JobTransport

@Suite("The comparison of the ledger with the notification stream", .timeLimit(.minutes(10)))
struct EpochCheckTests {
  private static let vain: Duration = .milliseconds(300)

  /// Stops or continues the process of the broker that takes messages for the stream.
  private func stream(_ order: String, at url: BrokerURL) async throws {
    try await BrokerNode.shared.ctl(
      "eval",
      """
      {ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"\(url.virtualHost)">>, queue, \
      <<"\(Topology.Queue.notifications)">>)), sys:\(order)(amqqueue:get_pid(Queue)).
      """)
  }

  /// One that waits as long as it takes; with `limit`: one that is to wait in vain.
  private func check(
    _ books: Books, at url: BrokerURL, on connection: Connection, limit: Duration = patience
  ) -> EpochCheck {
    let log = Logger(label: "teller.test")
    return EpochCheck(
      bookkeeper: books.bookkeeper,
      connections: BrokerConnections(
        node: url, consuming: connection, recording: connection, intake: connection, publishing: connection,
        source: BrokerSource(url), logger: log),
      session: BrokerSession(url: url, name: "epochs", logger: log), logger: log, limit: limit,
      pause: .milliseconds(50))
  }

  /// The stream has events that the ledger does not know of.
  private func tellAhead(of own: NotificationPosition, in books: Books, on connection: Connection) async throws {
    let ahead = NotificationPosition(epoch: own.epoch, seq: own.seq + 50)
    let told = NotificationCodec.encode(marker: "told", ledger: books.bookkeeper.ledger.id, at: ahead)
    #expect(try await connection.publish(told) == .confirmed)
  }

  private func scene() async throws -> (Books, BrokerURL, Connection) {
    let url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    let connection = try await Connection.patient(to: url)
    try await Topology.declareAll(on: connection, departments: [])
    return (try await Books(), url, connection)
  }

  @Test("ends within its limit when the stream confirms nothing, and leaves the connections of the coordinator open")
  func silentStream() async throws {
    let (books, url, connection) = try await scene()
    let (check, hasty) = (
      check(books, at: url, on: connection), check(books, at: url, on: connection, limit: Self.vain)
    )
    try await stream("suspend", at: url)
    let unknown = try await limited("the check goes on without an answer") { try await hasty.run() }
    #expect(unknown == (try await books.bookkeeper.safePosition()))
    try await stream("resume", at: url)
    #expect(try await limited("the stream is asked again") { try await check.run() } == nil)
    #expect(try await connection.state(of: Topology.Queue.reports).messageCount == 0)
    await connection.close()
  }

  @Test("is made up for when the stream answers: a ledger that is behind begins a new epoch with the next session")
  func lateAnswer() async throws {
    let (books, url, connection) = try await scene()
    let own = try await books.bookkeeper.safePosition()
    let (check, hasty) = (
      check(books, at: url, on: connection), check(books, at: url, on: connection, limit: Self.vain)
    )
    try await tellAhead(of: own, in: books, on: connection)
    try await stream("suspend", at: url)
    let unknown = try #require(try await limited("the check goes on without an answer") { try await hasty.run() })
    try await stream("resume", at: url)
    await #expect(throws: AMQPError.ledgerIsBehind) {
      _ = try await limited("the stream answers") { try await check.lookAgain(from: unknown, until: Signal()) }
    }
    #expect(try await limited("the next session begins") { try await check.run() } == nil)
    #expect(try await books.bookkeeper.safePosition().epoch == own.epoch + 1)
    await connection.close()
  }

  @Test("sees it behind questions without answers: one, and more than the broker sends at once", arguments: [1, 100])
  func unanswered(questions: Int) async throws {
    let (books, url, connection) = try await scene()
    let own = try await books.bookkeeper.safePosition()
    try await tellAhead(of: own, in: books, on: connection)
    for number in 1...questions {
      let asked = NotificationCodec.encode(
        question: "question \(number)", ledger: books.bookkeeper.ledger.id, epoch: own.epoch)
      #expect(try await connection.publish(asked) == .confirmed)
    }
    let check = check(books, at: url, on: connection)
    #expect(try await limited("a new epoch begins") { try await check.run() } == nil)
    let reached = try await books.bookkeeper.safePosition()
    #expect(reached.epoch == own.epoch + 1)
    // It has said so: the next ones begin no other, and leave no more and more questions.
    for _ in 1...9 { #expect(try await limited("the next check") { try await check.run() } == nil) }
    #expect(try await books.bookkeeper.safePosition() == reached)
    let end = try await StreamEnd(of: books.bookkeeper.ledger.id, logger: Logger(label: "teller.test"))
      .find(behind: reached, on: connection)
    #expect(end?.last == reached)
    await connection.close()
  }

  @Test("is not looked for any more by a session that ends")
  func end() async throws {
    let (books, url, connection) = try await scene()
    let (check, over) = (check(books, at: url, on: connection), Signal())
    over.close()
    let own = try await books.bookkeeper.safePosition()
    #expect(try await limited("the look ends") { try await check.lookAgain(from: own, until: over) } == false)
    await connection.close()
  }
}
