import AMQP
import BrokerSupport
import JobModel
import TestSupport
import Testing

@testable import JobTransport

@Suite("What the broker takes off a queue", .timeLimit(.minutes(15)))
struct DeadLetterTests {
  /// What a policy for everything may do to a queue.
  enum Harm: String, CaseIterable, Sendable {
    case age = #"{"message-ttl":100}"#
    case noAge = #"{"message-ttl":0}"#
    case returns = #"{"delivery-limit":2}"#
    case length = #"{"max-length":3,"overflow":"drop-head"}"#

    var reason: String {
      switch self {
      case .age, .noAge: "expired"
      case .returns: "delivery_limit"
      case .length: "maxlen"
      }
    }

    /// How many of six come back, all others being in their queue.
    var taken: Int { self == .length ? 3 : 6 }
  }

  private func setPolicy(_ harm: Harm, at url: String) async throws {
    let host = try BrokerURL(url).virtualHost
    try await BrokerNode.shared.ctl(
      "set_policy", "-p", host, "--apply-to", "queues", "everything", ".*", harm.rawValue)
  }

  /// Every form of submission and report that the codecs know of one sort, with all that may stand in the envelope.
  private func messages(of mail: Topology.Mail) -> [Publishing] {
    let reply = ReplyAddress(replyTo: "teller.reply.packed.x", correlationID: "c", wait: .accepted)
    switch mail {
    case .submissions:
      return (0..<6).map { number in
        var submission = Submission(
          id: JobID(), kind: "deposit", payload: Array("{\"n\": \(number)}".utf8), reply: reply)
        submission.maxAttempts = 3
        return SubmissionCodec.encode(submission)
      }
    case .reports:
      return (0..<6).map { number in
        Publishing(
          exchange: Topology.Exchange.reports, routingKey: Topology.RoutingKey.reports,
          properties: MessageProperties(contentType: "x/y", messageID: "\(number)", type: "reports"), body: [1, 2, 3])
      }
    }
  }

  @Test(
    "comes back unchanged, with its queue, its reason and its user", arguments: Topology.Mail.allCases, Harm.allCases)
  func comesBack(mail: Topology.Mail, harm: Harm) async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await Connection.patient(to: url)
    try await Topology.declareAll(on: connection, departments: [])
    try await setPolicy(harm, at: url)
    let queue = mail == .reports ? Topology.Queue.reports : Topology.Queue.submissions
    try await eventually("the policy counts", within: patience) {
      try await BrokerNode.shared.ctl("list_queues", "-p", try BrokerURL(url).virtualHost, "name", "policy")
        .contains("\(queue)\teverything")
    }
    let sent = messages(of: mail)
    let results = try await connection.publish(contentsOf: sent)
    #expect(results.allSatisfy { $0 == .confirmed })
    if harm == .returns { try await returnOften(sent.count, queue, at: url) }
    let letters = try await letters(harm.taken, at: url)
    let found = Set(letters.map(\.message.properties.messageID))
    #expect(found == Set(sent.prefix(harm.taken).map(\.properties.messageID)))
    for letter in letters {
      #expect(letter.contents == mail)
      #expect(letter.cause == DeadLetterCause(queue: queue, reason: harm.reason))
      let original = try #require(sent.first { $0.properties.messageID == letter.message.properties.messageID })
      var expected = original.properties
      expected.userID = try BrokerURL(url).user
      expected.deliveryMode = 2
      #expect(letter.message.properties == expected && letter.message.body == .bytes(original.body))
    }
    await connection.close()
  }

  /// Takes the messages and lets go of them, as a coordinator that dies does.
  private func returnOften(_ count: Int, _ queue: String, at url: String) async throws {
    for _ in 0..<3 {
      let connection = try await Connection.patient(to: url)
      let consumer = try await connection.consume(queue, options: ConsumeOptions(prefetch: 100))
      for _ in 0..<count { _ = try await limited("a delivery") { await consumer.nextBatch(atMost: 1) } }
      await connection.close()
    }
  }

  /// So many different dead letters, from both queues.
  private func letters(_ count: Int, at url: String) async throws -> [DeadLetter] {
    let connection = try await Connection.patient(to: url)
    let (stream, inbox) = (DeadLetterStream(on: connection, limit: patience), DeliveryInbox())
    let position = try await stream.position()
    _ = try await stream.consume(from: position.next, into: inbox)
    _ = try await connection.consume(Topology.Queue.dropped, options: ConsumeOptions(prefetch: 64), into: inbox)
    var letters: [[UInt8]: DeadLetter] = [:]
    while letters.count < count {
      let batch = try await limited("dead letters") { await inbox.nextBatch(atMost: 64) }
      for letter in (batch ?? []).compactMap(DeadLetter.init) {
        letters[letter.digest] = letters[letter.digest] ?? letter
      }
    }
    await connection.close()
    return Array(letters.values)
  }

  @Test("is no mark, and no probe")
  func others() {
    var delivery = Deliveries.make(MessageProperties(type: DeadLetterStream.markType), .bytes([]))
    #expect(DeadLetter(delivery) == nil)
    delivery = Deliveries.of(QueueProbe.marker("m", to: Topology.Queue.dropped))
    #expect(DeadLetter(delivery) == nil)
  }
}

@Suite("The stream of dead letters", .timeLimit(.minutes(10)))
struct DeadLetterStreamTests {
  private func letter(_ number: Int) -> Publishing {
    Publishing(exchange: Topology.Exchange.deadLetters, routingKey: "", body: [UInt8(number)])
  }

  @Test("is read on behind what was marked, whoever reads it, and from its beginning when it is new")
  func position() async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await Connection.patient(to: url)
    try await Topology.declareAll(on: connection, departments: [])
    _ = try await connection.publish(contentsOf: (0..<3).map(letter))
    let stream = DeadLetterStream(on: connection, limit: patience)
    #expect(try await stream.position().next == 0)
    // What was published to find that out does not move it.
    #expect(try await stream.position().next == 0)
    try await stream.markRead(before: 2)
    #expect(try await stream.position().next == 2)
    // So much that the mark is not in the last part.
    for _ in 0..<3 { _ = try await connection.publish(contentsOf: (0..<100).map(letter)) }
    #expect(try await stream.position().next == 2)
    try await stream.markRead(before: 1)
    #expect(try await stream.position().next >= 1)
    // Who is cut off meanwhile moves nothing.
    try await stream.markRead(before: 3)
    for _ in 0..<5 {
      let cut = Task { try await stream.position() }
      cut.cancel()
      if let next = try? await cut.value.next { #expect(next == 3) }
    }
    #expect(try await stream.position().next == 3)
    try await connection.delete(queue: Topology.Queue.deadLetters)
    try await Topology.declareAll(on: connection, departments: [])
    #expect(try await stream.position().next == 0)
    await connection.close()
  }

  /// Stops or continues the process of the broker that takes messages for the stream.
  private func stream(_ order: String, at url: BrokerURL) async throws {
    try await BrokerNode.shared.ctl(
      "eval",
      """
      {ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"\(url.virtualHost)">>, queue, \
      <<"\(Topology.Queue.deadLetters)">>)), sys:\(order)(amqqueue:get_pid(Queue)).
      """)
  }

  @Test("that confirms nothing has its limit, and is read as soon as it answers")
  func silent() async throws {
    let url = try BrokerURL(try await BrokerNode.shared.makeVirtualHost())
    let connection = try await Connection.patient(to: url)
    try await Topology.declareAll(on: connection, departments: [])
    let silent = try await Connection.patient(to: url)
    try await stream("suspend", at: url)
    let error = await #expect(throws: AMQPError.self) {
      try await limited("the mark is given up") {
        // Without a limit nothing but the end of its connection ends the wait.
        try await withTaskCancellationHandler {
          try await DeadLetterStream(on: silent, limit: .milliseconds(300)).markRead(before: 0)
        } onCancel: {
          Task { await silent.close() }
        }
      }
    }
    try await stream("resume", at: url)
    guard case .timedOut? = error else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(try await DeadLetterStream(on: connection, limit: patience).position().next == 0)
    await connection.close()
  }
}
