import AMQP
import BrokerSupport
import JobModel
import JobTransport
import TestSupport
import Testing

/// Each message through a real broker: what the codecs write is what a broker takes, keeps and delivers.
@Suite("Messages through the broker", .timeLimit(.minutes(10)))
struct MessagesBrokerTests {
  private static let rounds = 20

  @Test("submissions and plans come through the broker unchanged")
  func submissions() async throws {
    let connection = try await Broker.prepared()
    var random = SeededRandom(for: "submissions through the broker")
    var expected: [IncomingSubmission] = []
    for _ in 0..<Self.rounds {
      let (submission, plan) = (random.submission(), random.plan())
      try await connection.put(SubmissionCodec.encode(submission))
      try await connection.put(try SubmissionCodec.encode(plan))
      expected += [.job(submission), .plan(plan)]
    }
    let deliveries = try await connection.take(expected.count, from: "teller.submissions.2")
    // As a set: from 4.0 on a quorum queue takes what has a priority above 4 first.
    #expect(Set(deliveries.map { SubmissionCodec.decode($0, now: .now()) }) == Set(expected))
    #expect(deliveries.count == expected.count)
    await connection.close()
  }

  @Test("assignments, reports, claims and fences come through the broker unchanged")
  func reports() async throws {
    let connection = try await Broker.prepared()
    var random = SeededRandom(for: "reports through the broker")
    var expected: [ReportMessage] = []
    for _ in 0..<Self.rounds {
      var assignment = random.assignment()
      assignment.department = "counter"
      try await connection.put(AssignmentCodec.encode(assignment))
      let delivery = try await connection.take(from: "teller.department.counter")
      #expect(try delivery.map { try AssignmentCodec.decode($0) } == [assignment])
      let (reports, claim) = (random.reports(), random.claim())
      for (message, _) in ReportCodec.encode(reports) { try await connection.put(message) }
      for message in ReportCodec.encode([claim]) { try await connection.put(message) }
      try await connection.put(ReportCodec.encode(fence: 7, ledger: claim.ledger))
      expected += reports.map { .report($0) } + [.claims([claim]), .fence(number: 7, ledger: claim.ledger)]
    }
    let deliveries = try await connection.take(3 * Self.rounds, from: "teller.reports.2")
    #expect(deliveries.flatMap { ReportCodec.decode($0) } == expected)
    await connection.close()
  }

  @Test("presence, control and live messages come through the broker unchanged")
  func transients() async throws {
    let connection = try await Broker.prepared()
    var random = SeededRandom(for: "transient messages through the broker")
    let (presence, started, claim) = (random.presence(), random.started(), random.claim())
    let heard = try await connection.take(2, from: "teller.presence") {
      try await connection.publish(PresenceCodec.encode(presence))
      try await connection.publish(PresenceCodec.encode(started))
    }
    #expect(heard.map { PresenceCodec.decode($0) } == [.presence(presence), .started(started)])

    let queue = try await Topology.declareWorkerQueue(claim.worker, session: 1, departments: [], on: connection)
    try await connection.publish(ControlCodec.encode(probe: 5, to: claim.worker))
    let answer = ClaimAnswer(release: claim.release, claim: claim.number, verdict: .drop)
    for message in ControlCodec.encode([answer], to: claim.worker) { try await connection.publish(message) }
    let told = try await connection.take(2, from: queue)
    #expect(
      told.map { ControlCodec.decode($0) }
        == [.probe(number: 5, since: nil), .answers([answer])])
    await connection.close()
  }

  @Test("a request is asked and answered, and a submitter is told, each in its own queue")
  func answers() async throws {
    let connection = try await Broker.prepared()
    let id = JobID()
    try await connection.declare(Topology.replyQueue(id))
    let address = AnswerAddress(replyTo: Topology.Queue.reply(id), correlationID: "c")
    let asked = try await connection.take(from: "teller.requests") {
      try await connection.put(RequestCodec.encode(.show(id), address: address, expiration: .seconds(20)))
    }
    #expect(asked.map(RequestCodec.decode) == [.asked(.show(id), address)])

    let reply = Reply(job: id.description, correlationID: "c", content: .accepted)
    let consumer = try await connection.consume(address.replyTo, options: ConsumeOptions(prefetch: 10))
    try await connection.publish(AnswerCodec.encode(.jobNotFound(id), to: address))
    try await connection.publish(ReplyCodec.encode(reply, to: address.replyTo))
    var deliveries: [Delivery] = []
    for _ in 0..<2 {
      deliveries += try await limited("an answer") { await consumer.nextBatch(atMost: 1) } ?? []
    }
    let (answer, told) = (try #require(deliveries.first), try #require(deliveries.last))
    #expect(throws: RequestError.refused(.jobNotFound(id))) { try AnswerCodec.decode(JobRecord.self, from: answer) }
    #expect(try ReplyCodec.decode(told) == reply)
    await connection.close()
  }

  @Test("the notification stream keeps batches and says their offsets, and leaves out what is live")
  func stream() async throws {
    let connection = try await Broker.prepared()
    var random = SeededRandom(for: "notifications through the broker")
    var batches: [NotificationBatch] = []
    for number in 0..<3 {
      let first = Int64(number * 2 + 1)
      let notifications = [random.notification(seq: first), random.notification(seq: first + 1)]
      batches.append(NotificationBatch(ledger: LedgerID("l"), epoch: 1, notifications: notifications))
      try await connection.publish(NotificationCodec.encode(live: [random.notification(seq: nil)]))
      try await connection.put(NotificationCodec.encode(batches[number]))
    }
    for _ in 0..<2 {
      let deliveries = try await connection.take(
        3, from: "teller.notifications", arguments: ["x-stream-offset": "first"])
      let expected = batches.enumerated().map { NotificationMessage.recorded($1, offset: Int64($0)) }
      #expect(deliveries.map { NotificationCodec.decode($0) } == expected)
    }
    await connection.close()
  }

  @Test("a message that is meant to hurt is parked, and neither reaches another queue nor closes the channel")
  func parked() async throws {
    let connection = try await Broker.prepared()
    let properties = MessageProperties(
      headers: ["CC": ["teller.reports.2"]], replyTo: "amq.rabbitmq.reply-to", expiration: "soon", messageID: "42",
      userID: "somebody")
    let reason = JobFailure.badID("42")
    try await connection.put(
      ParkedMessage(Deliveries.make(properties, .bytes([1])), from: "q", at: .now(), reason: reason).publishing)
    let parked = try #require(try await connection.take(from: "teller.rejected").first)
    #expect(parked.properties.headers["teller-error"] == "bad_id")
    #expect(parked.properties.messageID == "42" && parked.body == .bytes([1]))
    #expect(try await connection.state(of: "teller.reports.2").messageCount == 0)
    await connection.close()
  }
}
