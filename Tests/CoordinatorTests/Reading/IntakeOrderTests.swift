import AMQP
import BrokerSupport
import Decisions
import Foundation
import HostingSupport
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Coordinator

@Suite("What waited for a coordinator", .timeLimit(.minutes(10)))
struct IntakeOrderTests {
  private let folder: TemporaryFolder
  private let url: String

  init() async throws {
    folder = try TemporaryFolder()
    url = try await BrokerNode.shared.makeVirtualHost()
  }

  private func coordinator() throws -> CoordinatorService {
    let configuration = CoordinatorConfiguration(
      departments: ["work": DepartmentSettings()], kinds: ["deposit": KindSettings(department: "work")])
    return CoordinatorService(
      configuration: configuration, broker: BrokerSource(try BrokerURL(url)),
      ledgerPath: folder.appending("ledger").path, logger: ServiceLog().logger)
  }

  /// A submission as the broker leaves it that took it off its queue.
  private func deadLetter(_ submission: Submission) -> Publishing {
    var message = SubmissionCodec.encode(submission)
    message.exchange = Topology.Exchange.deadLetters
    return message
  }

  /// Made so long ago that a job which waits for it is refused, as long as the ledger does not have it.
  private func oldID() -> JobID {
    var generator = SystemRandomNumberGenerator()
    return JobID(version7: Timestamp.now() - Dependencies.unknownLimit * 2, using: &generator)
  }

  @Test("a submission is read behind all that the broker took off the queue before: its job may wait for one of these")
  func deadLettersFirst() async throws {
    let connection = try await Connection.patient(to: url)
    try await Topology.declareAll(on: connection, departments: ["work"])
    // The last of several batches.
    let before = Submission(id: oldID(), kind: "deposit")
    let letters = (0..<150).map { _ in Submission(id: JobID(), kind: "deposit") } + [before]
    let results = try await connection.publish(contentsOf: letters.map(deadLetter))
    #expect(results.allSatisfy { $0 == .confirmed })
    let replies = Topology.replyQueue(JobID())
    try await connection.declare(replies)
    let consumer = try await connection.consume(replies.name, options: ConsumeOptions(prefetch: 1))
    let after = Submission(
      id: JobID(), kind: "deposit", after: Dependencies(jobs: [before.id]),
      reply: ReplyAddress(replyTo: replies.name, correlationID: "c", wait: .accepted))
    #expect(try await connection.publish(SubmissionCodec.encode(after)) == .confirmed)

    let coordinator = try coordinator()
    let running = Task { try await coordinator.run() }
    let delivery = try #require(try await limited("a reply") { await consumer.nextBatch(atMost: 1) }?.first)
    let reply = try ReplyCodec.decode(delivery)
    #expect(reply.content == .accepted, "\(reply)")
    coordinator.drain()
    try await limited("the coordinator's end") { try await running.value }
    await connection.close()
  }
}
