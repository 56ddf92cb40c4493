import AMQP
import BrokerSupport
import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Coordinator
@testable import JobTransport

/// The parts between a real broker and the books.
@Suite("Between the broker and the books", .timeLimit(.minutes(10)))
struct FlowTests {
  /// Only ever spent on failure.
  private static let limit = patience

  @Test("a submission that could not be recorded is not acked: it stays in its queue")
  func recordedBeforeAcked() async throws {
    let (books, wire) = (try await Books(), try await Wire.make())
    try await wire.submit(Submission(id: JobID(), kind: "deposit"))
    let intake = try await wire.intake(books)
    try books.ledger.close()
    await #expect(throws: LedgerError.self) {
      try await limited("the intake's end", within: Self.limit) { try await intake.run() }
    }
    await wire.connections.consuming.close()
    try await eventually("the submission is in its queue again", within: Self.limit) {
      try await wire.messages(in: Topology.Queue.submissions) == 1
    }
    await wire.close()
  }

  @Test("a message whose turn is recorded but not safe is not acked: it stays in its queue", arguments: Reader.allCases)
  func safeBeforeAcked(reader: Reader) async throws {
    let shipping = Shipping()
    let (books, wire) = (try await Books(shipping: shipping), try await Wire.make())
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    let last = shipping.last
    try await wire.keep(reader.queue)
    try await wire.publish(to: reader, books, assignment)
    let reading = try await wire.reading(reader, books)
    let running = Task { try await reading() }
    try await eventually("the message is recorded", within: Self.limit) { shipping.last > last }
    running.cancel()
    _ = await running.result
    await wire.connections.consuming.close()
    try await eventually("the message is in its queue again", within: Self.limit) {
      try await wire.messages(in: reader.queue) == 1
    }
    await wire.close()
  }

  @Test("while the outbox is full no submission is recorded, and once there is room it is")
  func fullOutbox() async throws {
    let (books, wire) = (try await Books(), try await Wire.make())
    let filling = Reply(
      job: "j", correlationID: nil,
      content: .outcome(.succeeded(result: [UInt8](repeating: 0, count: Outbox.limit), contentType: nil)))
    books.outbox.append([.reply(to: "teller.reply.x", filling)])
    let submission = Submission(id: JobID(), kind: "deposit")
    try await wire.submit(submission)
    let intake = try await wire.intake(books)
    let running = Task { try await intake.run() }
    try await eventually("the intake has the submission", within: Self.limit) {
      if await books.bookkeeper.takesIn { return true }
      return try await books.job(submission.id) != nil
    }
    #expect(try await books.job(submission.id) == nil, "it was recorded while the outbox was full")
    _ = try await books.told()
    try await eventually("it is recorded", within: Self.limit) { try await books.job(submission.id) != nil }
    running.cancel()
    _ = await running.result
    await wire.close()
  }

  @Test("an intake that always finds more lets others go first who wait for the books")
  func fairIntake() async throws {
    let (wire, total, asking) = (try await Wire.make(), 1_000, Asking())
    let books = try await Books(watching: Watching { asking.isRecorded() })
    asking.begin(at: books.bookkeeper)
    let messages = (0..<total).map { _ in SubmissionCodec.encode(Submission(id: JobID(), kind: "deposit")) }
    _ = try await wire.connections.publishing.publish(contentsOf: messages)
    let intake = try await wire.intake(books, prefetch: UInt16(total))
    try await eventually("all are delivered", within: Self.limit) {
      try await wire.messages(in: Topology.Queue.submissions) == 0
    }
    let running = Task { try await intake.run() }
    try await eventually("all are recorded", within: Self.limit) {
      await books.bookkeeper.waitingCount(in: "work") == total
    }
    let seen = try #require(asking.seen)
    #expect(await seen.value < total, "the books were not to be had before the intake was idle")
    running.cancel()
    _ = await running.result
    await wire.close()
  }

  @Test("an assignment that the broker refuses ends the session")
  func refusedAssignment() async throws {
    // There is no queue of the department.
    let (books, wire) = (try await Books(), try await Wire.make())
    let assignment = try await books.release(Submission(id: JobID(), kind: "deposit"))
    books.outbox.append([.assignment(assignment)])
    books.outbox.finish()
    let telling = Telling(bookkeeper: books.bookkeeper, connections: wire.connections, outbox: books.outbox)
    await #expect(throws: AMQPError.self) {
      try await limited("the telling's end", within: Self.limit) { try await telling.run() }
    }
    await wire.close()
  }
}

/// The readers that record what comes through their queues.
enum Reader: CaseIterable {
  case submissions, reports, presence, commands

  var queue: String {
    switch self {
    case .submissions: Topology.Queue.submissions
    case .reports: Topology.Queue.reports
    case .presence: Topology.Queue.presence
    case .commands: Topology.Queue.admin
    }
  }
}

/// The connections of a session, on a virtual host of its own with all that lasts but departments.
private struct Wire {
  let connections: BrokerConnections

  static func make() async throws -> Wire {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let consuming = try await Connection.patient(to: url)
    let publishing = try await Connection.patient(to: url)
    try await Topology.declareAll(on: publishing, departments: [])
    return Wire(
      connections: BrokerConnections(
        node: try BrokerURL(url), consuming: consuming, recording: consuming, intake: consuming, publishing: publishing,
        source: BrokerSource(try BrokerURL(url)), logger: Logger(label: "test")))
  }

  /// Has the queue keep its messages for as long as the test takes: a busy machine uses up their time to live.
  func keep(_ queue: String) async throws {
    let declared = Topology.queues.first { $0.name == queue }
    guard var declaration = declared, declaration.arguments.messageTTL != nil else { return }
    declaration.arguments.messageTTL = nil
    try await connections.publishing.delete(queue: queue)
    try await connections.publishing.declare(declaration)
    for binding in Topology.bindings where binding.queue == queue {
      try await connections.publishing.bind(queue: queue, exchange: binding.exchange, routingKey: binding.routingKey)
    }
  }

  func submit(_ submission: Submission) async throws {
    #expect(try await connections.publishing.publish(SubmissionCodec.encode(submission)) == .confirmed)
  }

  /// Publishes a message that the reader records.
  func publish(to reader: Reader, _ books: Books, _ assignment: Assignment) async throws {
    switch reader {
    case .submissions: try await submit(Submission(id: JobID(), kind: "deposit"))
    case .reports:
      guard case .report(let report) = books.report(assignment, .done) else { return }
      for (message, _) in ReportCodec.encode([report]) { _ = try await connections.publishing.publish(message) }
    case .presence:
      let presence = Presence(
        worker: WorkerID(), session: 1, name: "desk", tellers: ["work": 1], ledger: nil, probe: 0, running: [])
      try await connections.publishing.publish(PresenceCodec.encode(presence))
    case .commands:
      let pause = AdminCodec.encode(.pause("work"), address: .test, expiration: .seconds(3_600))
      _ = try await connections.publishing.publish(pause)
    }
  }

  func intake(_ books: Books, prefetch: UInt16 = 10) async throws -> Intake {
    Intake(
      bookkeeper: books.bookkeeper, connections: connections,
      consumer: try await consumer(of: .submissions, prefetch: prefetch), outbox: books.outbox)
  }

  /// What the reader does.
  func reading(_ reader: Reader, _ books: Books) async throws -> @Sendable () async throws -> Void {
    let (bookkeeper, outbox, consumer) = (books.bookkeeper, books.outbox, try await consumer(of: reader))
    return switch reader {
    case .submissions:
      Intake(bookkeeper: bookkeeper, connections: connections, consumer: consumer, outbox: outbox).run
    case .reports:
      Recorder(bookkeeper: bookkeeper, connections: connections, consumer: consumer, outbox: outbox).run
    case .presence:
      PresenceReader(bookkeeper: bookkeeper, connections: connections, consumer: consumer, outbox: outbox).run
    case .commands:
      CommandReader(bookkeeper: bookkeeper, connections: connections, consumer: consumer, outbox: outbox).run
    }
  }

  private func consumer(of reader: Reader, prefetch: UInt16 = 10) async throws -> Consumer {
    try await connections.consuming.consume(reader.queue, options: ConsumeOptions(prefetch: prefetch))
  }

  /// How many messages wait in a queue: those that are delivered are not among them.
  func messages(in queue: String) async throws -> Int {
    try await connections.publishing.state(of: queue).messageCount
  }

  func close() async { await connections.close() }
}

/// Somebody who asks for the books while the first batch is recorded, and sees how much is in them.
private final class Asking: Sendable {
  private struct State {
    var books: Bookkeeper?
    var seen: Task<Int, Never>?
  }

  private let state = Mutex(State())

  var seen: Task<Int, Never>? { state.withLock(\.seen) }

  func begin(at books: Bookkeeper) { state.withLock { $0.books = books } }

  /// On the thread of the books, which goes on when the question waits for it.
  func isRecorded() {
    guard let books = state.withLock({ $0.books.take() }) else { return }
    state.withLock { $0.seen = Task.detached { await books.waitingCount(in: "work") } }
    let end = ContinuousClock.now + patience
    while !books.isWanted, ContinuousClock.now < end { sched_yield() }
  }
}

extension Bookkeeper {
  /// How many jobs of a department are recorded, and do not run.
  fileprivate func waitingCount(in department: Department) -> Int {
    parts.departments[department].heldCount + parts.departments[department].releasedCount
  }

  /// Whether the intake is in the middle of a batch. Seen from here, it waits for something then: nothing else of it runs
  /// beside the bookkeeper.
  fileprivate var takesIn: Bool {
    let (signs, now) = board.snapshot
    return signs.stuck(at: now + .seconds(3_600)).contains { $0.part == HealthPart.intake }
  }
}
