import AMQP
import JobModel
import JobTransport
import Logging
import Testing
import TestSupport

@testable import Teller

@Suite("A client whose broker fails", .serialized, .timeLimit(.minutes(15)))
struct ClientBrokerFaultTests {
  @Test("a broker that is killed and comes back costs no submission, no outcome and no event")
  func killAndRestart() async throws {
    let node = try await BrokerNode.start()
    var coordinator = try await CoordinatorPart.start(at: node.url)
    let client = try await coordinator.client()
    let events = try await client.events(since: .start)
    try await coordinator.record(1...2)
    let early = try await client.submit(Deposit.self, .init(cents: 1))
    let earlyJob = try await coordinator.nextJob()
    // A broker that is killed in the second in which it made its first stream forgets what looks after its streams.
    try await node.ctl("eval", "[dets:sync(Table) || Table <- dets:all()].")
    try await node.kill()
    let submitting = Task { try await client.submit(Deposit.self, .init(cents: 2)) }
    try await node.start()
    await coordinator.close()
    coordinator = try await restarted(at: node.url)
    let late = try await submitting.value
    var ids = [try await coordinator.nextJob().id]
    // An ack that the broker had not written down is as if it had never been.
    while ids.last != late.id { ids.append(try await coordinator.nextJob().id) }
    // The client's reply queue is there again when it answers what is new.
    let questions = try await coordinator.answerQuestions(finished: [earlyJob.id: #"{"balance":1}"#])
    #expect(try await early.value(timeout: CoordinatorPart.patience).balance == 1)
    try await coordinator.record(3...4)
    var sequences: [Int64] = []
    for try await event in events {
      if let position = event.position { sequences.append(position.sequence) }
      if sequences.count == 4 { break }
    }
    #expect(sequences == [1, 2, 3, 4])
    questions.cancel()
    await client.close()
    await coordinator.close()
    try await node.close()
  }

  /// A broker that has just started refuses its quorum queues and streams for a moment.
  private func restarted(at url: String) async throws -> CoordinatorPart {
    var coordinator: CoordinatorPart?
    try await eventually("the queues of the restarted broker are back", within: setUpPatience) {
      coordinator = try await CoordinatorPart.start(at: url)
      return true
    }
    return try #require(coordinator)
  }

  @Test("a client whose reply queue the broker still keeps for another connection takes a new one, and is answered")
  func keptReplyQueue() async throws {
    let coordinator = try await CoordinatorPart.start()
    let core = ClientCore(
      BrokerSource(try BrokerURL(coordinator.url)), name: "client", timeouts: .quick,
      logger: Logger(label: "teller.test"))
    var kept = QueueDeclaration(core.replyQueue)
    (kept.isDurable, kept.isExclusive) = (false, true)
    try await coordinator.connection.declare(kept)
    let client = Task { await core.run() }
    _ = try await limited("the client is connected") { try await core.links.current }
    #expect(core.replyQueue != kept.name)
    let questions = try await coordinator.answerQuestions()
    let status: TellerStatus = try await core.ask(.status, within: patience)
    #expect(status.ledger == coordinator.ledger)
    questions.cancel()
    client.cancel()
    await client.value
    await coordinator.close()
  }

  @Test("a broker that is frozen does not hold a submission beyond its limit")
  func frozen() async throws {
    let node = try await BrokerNode.start()
    let coordinator = try await CoordinatorPart.start(at: node.url)
    var timeouts = ClientTimeouts.quick
    timeouts.submit = .seconds(4)
    timeouts.close = .milliseconds(100)
    let client = try await coordinator.client(timeouts: timeouts)
    try await node.freeze()
    let error = await #expect(throws: TellerError.self) { try await client.submit(Deposit.self, .init(cents: 1)) }
    guard case .brokerUnavailable? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try await node.thaw()
    // The broker may need longer than that limit to come to itself, and the connection may have been lost meanwhile.
    // The id stays the same, as for whoever submits again what may not have arrived.
    let next = try JobSubmission(Deposit.self, .init(cents: 2))
    try await eventually("the broker that goes on takes submissions", within: CoordinatorPart.patience) {
      _ = try await client.submit(next)
      return true
    }
    await client.close()
    await coordinator.close()
    try await node.close()
  }
}
