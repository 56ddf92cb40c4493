import AMQP
import BrokerSupport
import Decisions
import Foundation
import HostingSupport
import JobModel
import Teller
import Synchronization
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Coordinator
@testable import Hosting
@testable import JobTransport

/// A broker with a low `max_message_size`. What goes in one message usually is too large for it.
@Suite("What a coordinator tells, and a broker finds too large", .timeLimit(.minutes(10)))
struct TooLargeTests {
  private static let limit = 20_000
  private static let node = Task { try await BrokerNode.start(settings: ["max_message_size = \(limit)"]) }

  private let log = ServiceLog()

  @Test("notifications go in parts that the broker takes: each once, in their order")
  func notifications() async throws {
    let url = try BrokerURL(try await Self.node.value.makeVirtualHost())
    let connection = try await Connection.patient(to: url)
    try await Topology.declareAll(on: connection, departments: [])
    let (books, jobs) = (try await Books(), (0..<300).map { _ in JobID() })
    try await books.accept(jobs.map { Submission(id: $0, kind: "deposit") })
    _ = try await books.bookkeeper.cancel(jobs, because: .cancelled(by: "an operator"))
    let batch = try #require(try await books.bookkeeper.nextNotifications(atMost: Notifier.batchLimit))
    #expect(batch.notifications.count >= jobs.count)
    #expect(NotificationCodec.encode(batch).body.count > 2 * Self.limit, "a half of it is too large, too")

    let arrived = Signal()
    arrived.close()
    let notifier = Notifier(
      bookkeeper: books.bookkeeper,
      connections: BrokerConnections(
        node: url, consuming: connection, recording: connection, intake: connection, publishing: connection,
        source: BrokerSource(url), logger: log.logger),
      arrived: arrived, services: HostedServices(logger: log.logger))
    try await limited("all of it is sent") { try await notifier.run() }
    #expect(try await books.bookkeeper.nextNotifications(atMost: 1)?.notifications.count == nil)

    let options = ConsumeOptions(prefetch: 100, arguments: ["x-stream-offset": "first"])
    let reading = try await Connection.patient(to: url)
    let consumer = try await reading.consume(Topology.Queue.notifications, options: options)
    var told: [Int64?] = []
    while told.count < batch.notifications.count {
      let delivery = try #require(try await limited("a part") { await consumer.nextBatch(atMost: 1)?.first })
      guard case .recorded(let part, _) = NotificationCodec.decode(delivery) else {
        Issue.record("\(delivery)")
        return
      }
      #expect(part.notifications.count < batch.notifications.count)
      told += part.notifications.map(\.seq)
    }
    #expect(told == batch.notifications.map(\.seq))
    for connection in [connection, reading] { await connection.close() }
  }

  @Test("an answer is replaced by an error that says how large it is, and smaller ones still come")
  func answers() async throws {
    let url = try await Self.node.value.makeVirtualHost()
    let (folder, told) = (try TemporaryFolder(), ToldCalls())
    let configuration = CoordinatorConfiguration(
      departments: ["work": DepartmentSettings()], kinds: ["held": KindSettings(department: "work")])
    let coordinator = CoordinatorService(
      configuration: configuration, broker: BrokerSource(try BrokerURL(url)),
      ledgerPath: folder.appending("ledger").path, logger: log.logger)
    coordinator.services.limits.withLock { $0 = .patient }
    coordinator.services.add(Witness("a", told))
    let running = Task { try await coordinator.run() }
    try await told.wait(for: "a opened")

    var timeouts = ClientTimeouts()
    (timeouts.connect, timeouts.submit, timeouts.request) = (patience, patience, patience)
    let client = try await TellerClient.connect(try TellerConfiguration(broker: url), timeouts: timeouts)
    // One by one: many in one message would be too large, too.
    var last = JobID()
    for _ in 1...150 { last = try await client.submit(JobSubmission(kind: "held", payload: Array("{}".utf8))).id }
    try await eventually("all are accepted", within: patience) { try await client.job(last).id == last }
    let error = await #expect(throws: TellerError.self) { _ = try await client.jobs(JobQuery(limit: 150)) }
    guard case .refused(let failure)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.code == JobFailure.Code.unpublishable, "\(failure)")
    #expect(failure.message.contains("bytes") && failure.message.contains("\(Self.limit)"), "\(failure)")
    #expect(try await client.jobs(JobQuery(limit: 2)).jobs.count == 2)
    await client.close()
    coordinator.drain()
    try await limited("the coordinator's end") { try await running.value }
  }
}
