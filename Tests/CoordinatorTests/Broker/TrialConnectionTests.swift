import AMQP
import Bookkeeping
import BrokerSupport
import Decisions
import HostingSupport
import JobModel
import Logging
import TestSupport
import Testing

@testable import BooksSupport
@testable import Coordinator
@testable import JobTransport

/// The connections of the session are open, and the broker takes no other one for trials.
@Suite("A session that can open no further connection", .timeLimit(.minutes(10)))
struct TrialConnectionTests {
  private let books: Books
  private let url: BrokerURL
  private let connection: Connection
  private let told = ToldCalls()
  private let logger = Logger(label: "teller.test")

  init() async throws {
    // Behind the session's clock: what has a time is due.
    let clock = HandClock()
    clock.pass(.seconds(-2_000))
    books = try await Books(clock: clock)
    url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    connection = try await Connection.patient(to: url)
    try await Topology.declareAll(on: connection, departments: [])
  }

  /// Each try to open a further connection is told as "tried".
  private func connections(canOpen: Bool = false) throws -> BrokerConnections {
    let source = BrokerSource(url) { [url, told] in
      told.note("tried")
      return url
    }
    return BrokerConnections(
      node: canOpen ? url : try BrokerURL("amqp://127.0.0.1:1/"), consuming: connection, recording: connection,
      intake: connection, publishing: connection, source: source, logger: logger)
  }

  private var session: BrokerSession { BrokerSession(url: url, name: "trials", logger: logger) }

  @Test("leaves a refused department out as it was, and looks at it again")
  func refusedDepartment() async throws {
    await books.bookkeeper.refuse("work", because: "406: inequivalent arg")
    let watch = RefusedWatch(bookkeeper: books.bookkeeper, connections: try connections(), session: session)
    let watching = Task { try await watch.run() }
    try await told.wait(for: "tried", times: 2)
    #expect(books.bookkeeper.board.departmentsOut == ["work": "406: inequivalent arg"])
    watching.cancel()
    try await limited("the watch ends") { try await watching.value }
    await connection.close()
  }

  @Test("takes over a file with a new department once the department's queue can be tried")
  func newDepartment() async throws {
    let old = await books.bookkeeper.configuration
    let wanted = WantedConfiguration(old)
    var new = old
    new.departments["post"] = DepartmentSettings()
    _ = wanted.want(new, from: "teller.yaml")
    let reconfiguring = Reconfiguring(
      bookkeeper: books.bookkeeper, connections: try connections(), wanted: wanted, logger: logger,
      pause: .milliseconds(50))
    let waiting = Task { try await reconfiguring.run() }
    try await told.wait(for: "tried", times: 2)
    waiting.cancel()
    _ = await waiting.result
    #expect(await books.bookkeeper.configuration == old)
    let again = Reconfiguring(
      bookkeeper: books.bookkeeper, connections: try connections(canOpen: true), wanted: wanted, logger: logger)
    let taking = Task { try await again.run() }
    try await eventually("the department is there", within: patience) {
      await books.bookkeeper.configuration.departments["post"] != nil
    }
    taking.cancel()
    _ = await taking.result
    await connection.close()
  }

  @Test("asks the notification stream again")
  func stream() async throws {
    let check = EpochCheck(
      bookkeeper: books.bookkeeper, connections: try connections(), session: session, logger: logger,
      limit: .seconds(1), pause: .milliseconds(50))
    let (own, over) = (try await books.bookkeeper.safePosition(), Signal())
    let looking = Task { try await check.lookAgain(from: own, until: over) }
    try await told.wait(for: "tried", times: 2)
    over.close()
    #expect(try await limited("the look ends") { try await looking.value } == false)
    await connection.close()
  }

  @Test("leaves out a department whose further queue cannot be declared, until the queue can be tried")
  func queueOfKind() async throws {
    let telling = Telling(bookkeeper: books.bookkeeper, connections: try connections(), outbox: books.outbox)
    books.outbox.append([.makeQueue(JobQueue("work", kind: "deposit"))])
    books.outbox.finish()
    try await limited("what was decided is told") { try await telling.run() }
    #expect(Array(books.bookkeeper.board.departmentsOut.keys) == ["work"])
    #expect(await books.bookkeeper.refusedDepartments(dueAt: books.clock.monotonic) == ["work"])
    await connection.close()
  }
}
