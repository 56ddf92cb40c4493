import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Teller

@Suite("A client and the coordinator's early queue", .timeLimit(.minutes(10)))
struct EarlySubmissionTests {
  private let submission = { JobSubmission(kind: "deposit", payload: Array("{}".utf8)) }

  /// The coordinator has answered a submission: the next one may go to the early queue.
  private func submitAnswered(_ client: TellerClient, _ coordinator: CoordinatorPart) async throws {
    let handle = try await client.submit(submission())
    try await coordinator.answer(try await coordinator.nextJob(), .accepted)
    try await handle.accepted(timeout: CoordinatorPart.patience)
  }

  @Test("a submission behind an answered one goes there, and without an answer to the durable queue as well")
  func unanswered() async throws {
    let coordinator = try await CoordinatorPart.start()
    let early = try await coordinator.connection.consume(Topology.Queue.early, options: ConsumeOptions(prefetch: 10))
    let client = try await coordinator.client()
    try await submitAnswered(client, coordinator)
    let handle = try await client.submit(submission())
    let delivery = try #require(try await limited("an early message") { await early.nextBatch(atMost: 1)?.first })
    #expect(!EarlyCodec.hasReports(delivery))
    guard case .job(let job) = SubmissionCodec.decode(delivery, now: .now()) else {
      Issue.record("it is no submission of a job")
      return
    }
    #expect(job.id == handle.id && job.reply != nil)
    #expect(try await coordinator.nextJob() == job)
    await client.close()
    await coordinator.close()
  }

  @Test(
    "one that is large, or that the coordinator would leave to the durable queue, goes only there",
    arguments: [
      { $0.payload = Array(repeating: 0, count: EarlyCodec.byteLimit + 1) },
      { $0.key = "k" }, { $0.replies = .none },
      { $0.after = [JobID()] },
    ] as [@Sendable (inout JobSubmission<JSONValue>) -> Void])
  func durableOnly(change: @Sendable (inout JobSubmission<JSONValue>) -> Void) async throws {
    let coordinator = try await CoordinatorPart.start()
    let early = try await coordinator.connection.consume(Topology.Queue.early, options: ConsumeOptions(prefetch: 10))
    let client = try await coordinator.client()
    try await submitAnswered(client, coordinator)
    var submission = submission()
    change(&submission)
    let handle = try await client.submit(submission)
    #expect(try await coordinator.nextJob().id == handle.id)
    #expect(early.takeWaiting().isEmpty)
    await client.close()
    await coordinator.close()
  }

  @Test("the refusal of an early message ends no other call on its connection, and a refusal of the call's own does")
  func refusedForAnother() throws {
    let obstacle = Obstacle(waited: .seconds(1)) { _ in nil }
    for code: UInt16 in [403, 404] {
      try obstacle.met(.channelClosed(code: code, text: "exchange 'teller.submit.early' in vhost '/'"))
    }
    #expect(throws: TellerError.self) {
      try obstacle.met(.channelClosed(code: 403, text: "access to exchange 'teller.submit' in vhost '/' refused"))
    }
  }

  @Test("of a user who may not write there, submissions come through, and only one costs the client a connection")
  func refused() async throws {
    let coordinator = try await CoordinatorPart.start()
    var role = try BrokerRole("producer")
    role.write = role.write.replacing("submit\\.early|", with: "")
    let configuration = try TellerConfiguration(broker: try await role.makeUser(at: coordinator.url))
    let client = try await TellerClient.connect(configuration, timeouts: .quick)
    try await submitAnswered(client, coordinator)
    let first = try await client.connection(of: client.core.lines.submitting)
    for _ in 1...2 { try await submitAnswered(client, coordinator) }
    let second = try await client.connection(of: client.core.lines.submitting)
    #expect(second !== first)
    for _ in 1...3 { try await submitAnswered(client, coordinator) }
    #expect(try await client.connection(of: client.core.lines.submitting) === second)
    await client.close()
    await coordinator.close()
  }
}
