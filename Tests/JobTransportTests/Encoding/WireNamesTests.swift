import AMQP
import JobModel
import Testing

@testable import JobTransport

/// The documented names, letter by letter: whoever renames one breaks every client that is out there.
@Suite struct WireNamesTests {
  private static let id = JobID("01890a5d-ac96-774b-bcce-b302099a8057") ?? JobID()
  private static let release = ReleaseID(job: id, number: 3)

  private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

  @Test("exchanges and queues have their documented names")
  func topology() {
    #expect(
      Topology.exchanges.map { "\($0.name) \($0.kind)" } == [
        "teller.submit fanout", "teller.submit.early fanout", "teller.jobs direct", "teller.reports direct",
        "teller.presence direct",
        "teller.control direct", "teller.echo direct", "teller.requests direct", "teller.admin direct",
        "teller.notifications topic", "teller.dead-letters fanout",
      ])
    #expect(Topology.exchanges.allSatisfy { $0.isDurable && !$0.isAutoDelete })
    #expect(
      Topology.queues.map(\.name) == [
        "teller.submissions.2", "teller.reports.2", "teller.presence", "teller.early", "teller.requests",
        "teller.admin", "teller.rejected", "teller.notifications", "teller.dead-letters", "teller.dropped",
      ])
    #expect(Topology.queues.allSatisfy { $0.isDurable && !$0.isExclusive && !$0.isAutoDelete })
    #expect(
      Topology.bindings.map { "\($0.exchange) \($0.routingKey) \($0.queue)" } == [
        "teller.submit  teller.submissions.2", "teller.reports teller.reports teller.reports.2",
        "teller.presence teller.presence teller.presence", "teller.submit.early  teller.early",
        "teller.presence early teller.early", "teller.requests teller.requests teller.requests",
        "teller.admin teller.admin teller.admin", "teller.notifications log teller.notifications",
        "teller.dead-letters  teller.dead-letters", "teller.dead-letters  teller.dropped",
      ])
  }

  @Test("a claim has its documented name and argument")
  func claim() {
    let claim = Topology.claim(of: LedgerID("a"))
    #expect(claim.name == "teller.ledger" && claim.kind == .direct && claim.isDurable && !claim.isAutoDelete)
    #expect(claim.alternate == "teller.ledger.a")
  }

  @Test(
    "queues have their documented arguments",
    arguments: [
      (
        "teller.submissions.2",
        [
          "x-dead-letter-exchange": "teller.dead-letters", "x-dead-letter-strategy": "at-least-once",
          "x-queue-type": "quorum", "x-delivery-limit": 1_000_000, "x-overflow": "reject-publish",
          "x-max-length": 200_000, "x-max-length-bytes": 536_870_912, "x-single-active-consumer": true,
          "x-consumer-disconnected-timeout": 2_000,
        ] as FieldTable
      ),
      (
        "teller.reports.2",
        [
          "x-dead-letter-exchange": "teller.dead-letters", "x-dead-letter-strategy": "at-least-once",
          "x-overflow": "reject-publish",
          "x-queue-type": "quorum", "x-delivery-limit": 1_000_000, "x-single-active-consumer": true,
          "x-consumer-disconnected-timeout": 2_000,
        ]
      ),
      (
        "teller.dropped",
        [
          "x-queue-type": "quorum", "x-delivery-limit": 1_000_000, "x-max-length": 200_000,
          "x-max-length-bytes": 536_870_912, "x-single-active-consumer": true, "x-consumer-disconnected-timeout": 2_000,
        ]
      ),
      (
        "teller.dead-letters",
        [
          "x-queue-type": "stream", "x-max-length-bytes": 1_073_741_824,
          "x-stream-max-segment-size-bytes": 67_108_864,
        ]
      ),
      ("teller.presence", ["x-queue-type": "classic", "x-max-length": 10_000, "x-message-ttl": 10_000]),
      (
        "teller.early",
        [
          "x-queue-type": "classic", "x-max-length": 1_000, "x-message-ttl": 1_000, "x-single-active-consumer": true,
        ]
      ),
      (
        "teller.requests",
        [
          "x-queue-type": "classic", "x-max-length": 10_000, "x-message-ttl": 30_000, "x-overflow": "reject-publish",
        ]
      ),
      (
        "teller.admin",
        [
          "x-queue-type": "classic", "x-max-length": 10_000, "x-message-ttl": 30_000, "x-overflow": "reject-publish",
        ]
      ),
      ("teller.rejected", ["x-queue-type": "classic", "x-max-length": 10_000, "x-max-length-bytes": 67_108_864]),
      (
        "teller.notifications",
        [
          "x-queue-type": "stream", "x-max-length-bytes": 1_073_741_824,
          "x-stream-max-segment-size-bytes": 67_108_864,
        ]
      ),
    ])
  func arguments(queue: String, expected: FieldTable) {
    #expect(Topology.queues.first { $0.name == queue }?.arguments.fieldTable == expected)
  }

  @Test("department, worker, reply and coordinator queues are what is documented")
  func ownQueues() {
    let department = Topology.queue(JobQueue("init"))
    #expect(department.name == "teller.department.init")
    #expect(department.arguments.fieldTable == ["x-queue-type": "classic", "x-max-priority": 9])
    #expect(department.isDurable && !department.isExclusive && !department.isAutoDelete)
    #expect(
      Topology.binding(JobQueue("init"))
        == Topology.Binding(queue: "teller.department.init", exchange: "teller.jobs", routingKey: "init"))
    let worker = Topology.workerQueue(WorkerID("w1"), session: 3)
    #expect(worker.name == "teller.worker.w1.3" && worker.isExclusive && worker.isAutoDelete && !worker.isDurable)
    #expect(
      Topology.workerBindings(WorkerID("w1"), session: 3, departments: ["init", "loan"])
        .map { "\($0.exchange) \($0.routingKey)" }
        == [
          "teller.control all", "teller.control department.init", "teller.control department.loan",
          "teller.control worker.w1", "teller.echo worker.w1",
        ])
    let reply = Topology.replyQueue(Self.id)
    #expect(reply.name == "teller.reply.packed.01890a5d-ac96-774b-bcce-b302099a8057")
    #expect(reply.isExclusive && reply.isAutoDelete)
    #expect(ReplyAddress.isAllowed(reply.name))
    let coordinator = Topology.coordinatorQueue
    #expect(coordinator.name == "teller.coordinator" && coordinator.isDurable && !coordinator.isExclusive)
    #expect(
      coordinator.arguments.fieldTable == [
        "x-queue-type": "quorum", "x-delivery-limit": 1_000_000, "x-single-active-consumer": true,
        "x-consumer-disconnected-timeout": 2_000, "x-max-length": 1_000,
      ])
  }

  @Test("a submission is AMQP's own properties and the documented headers")
  func submission() {
    let message = SubmissionCodec.encode(
      Submission(
        id: Self.id, kind: "deposit", department: "counter", priority: 7, payload: [1, 2], contentType: "a/b",
        submittedAt: Timestamp(milliseconds: 1_700_000_000_123), maxAttempts: 5, rank: 2,
        runAt: .at(Timestamp(milliseconds: 1_700_000_000_000)), startBy: .within(.seconds(60)), timeout: .seconds(5),
        after: Dependencies(jobs: [Self.id], rule: .cancel), key: SubmissionKey(text: "k", window: .seconds(90)),
        reply: ReplyAddress(replyTo: "teller.reply.x", correlationID: "c", wait: .accepted),
        trace: TraceContext(traceparent: "tp", tracestate: "ts")))
    let expected = MessageProperties(
      contentType: "a/b",
      headers: [
        "teller-department": "counter", "teller-attempts": 5, "teller-rank": 2, "teller-wait": "accepted",
        "teller-submitted-ms": 1_700_000_000_123, "traceparent": "tp", "tracestate": "ts",
        "teller-run-at": 1_700_000_000_000, "teller-start-within-ms": 60_000, "teller-timeout-ms": 5_000,
        "teller-after": ["01890a5d-ac96-774b-bcce-b302099a8057"], "teller-after-failed": "cancel", "teller-key": "k",
        "teller-key-window": 90,
      ], priority: 7, correlationID: "c", replyTo: "teller.reply.x", messageID: "01890a5d-ac96-774b-bcce-b302099a8057",
      timestamp: 1_700_000_000, type: "deposit")
    #expect(message == Publishing(exchange: "teller.submit", routingKey: "", properties: expected, body: [1, 2]))
    let other = SubmissionCodec.encode(
      Submission(
        id: Self.id, kind: "deposit", runAt: .within(.seconds(60)), startBy: .at(Timestamp(milliseconds: 5))))
    #expect(other.properties.headers == ["teller-delay-ms": 60_000, "teller-start-by": 5])
  }

  @Test("an assignment is the job's properties, the documented words and headers")
  func assignment() {
    let message = AssignmentCodec.encode(
      Assignment(
        release: Self.release, token: 4, ledger: LedgerID("l"), epoch: 6, kind: "deposit", department: "counter",
        priority: 7, attempt: 2, maxAttempts: 5, mustClaim: true, releasedAt: Timestamp(milliseconds: 8),
        timeout: .seconds(5),
        content: JobContent(payload: [9])))
    let expected = MessageProperties(
      headers: ["teller-claim": true, "teller-timeout-ms": 5_000], priority: 7, correlationID: "l 6 3 4 2 5 8",
      messageID: "01890a5d-ac96-774b-bcce-b302099a8057", type: "deposit")
    #expect(message == Publishing(exchange: "teller.jobs", routingKey: "counter", properties: expected, body: [9]))
  }

  @Test("reports are packed into one message, byte by byte as documented")
  func reports() {
    let failure = JobFailure(code: "c", message: "m")
    let results: [AttemptResult] = [
      .succeeded(result: Array("ré".utf8), contentType: "a/b"), .succeeded(result: [], contentType: nil),
      .failed(failure, isPermanent: false), .failed(failure, isPermanent: true),
    ]
    let reports = results.map { result in
      Report(
        release: Self.release, token: 4, ledger: LedgerID("l"), worker: WorkerID("w"),
        startedAgo: .microseconds(1500), ran: .microseconds(1200), result: result)
    }
    let start = "01890a5d-ac96-774b-bcce-b302099a8057 3 4 1500 1200"
    let failed = #"{"error":"c","message":"m"}"#
    let body = """
      \(start) succeeded 3 3
      a/bré\(start) succeeded 0 0
      \(start) failed 0 27
      \(failed)\(start) failed-for-good 0 27
      \(failed)
      """
    let messages = ReportCodec.encode(reports)
    #expect(messages.map(\.count) == [4])
    #expect(messages.map { text($0.message.body) } == [body])
    let properties = MessageProperties(correlationID: "l", type: "reports", appID: "w")
    #expect(
      messages.map(\.message) == [
        Publishing(
          exchange: "teller.reports", routingKey: "teller.reports", properties: properties, body: Array(body.utf8))
      ])
  }

  @Test("claims, adoptions and fences have the documented types and headers")
  func notices() {
    let claim = ClaimRequest(release: Self.release, ledger: LedgerID("l"), worker: WorkerID("w"), number: 8)
    let claims = ReportCodec.encode([claim])
    #expect(claims.map(\.properties.type) == ["claims"])
    #expect(
      claims.map { text($0.body) } == [
        #"{"claims":[{"claim":8,"job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3}],"ledger":"l","worker":"w"}"#
      ])
    let dropped = ReportCodec.encode(
      dropped: UnstartedRelease(release: Self.release, ledger: LedgerID("l"), worker: WorkerID("w")))
    #expect(dropped.properties.type == "dropped" && dropped.properties.messageID == Self.id.description)
    #expect(dropped.properties.headers == ["teller-release": 3, "teller-ledger": "l", "teller-worker": "w"])
    let adopt = ReportCodec.encode(
      AdoptionRequest(release: Self.release, token: 4, ledger: LedgerID("l"), worker: WorkerID("w")))
    #expect(adopt.properties.type == "adopt" && adopt.properties.messageID == Self.id.description)
    #expect(
      adopt.properties.headers == [
        "teller-release": 3, "teller-token": 4, "teller-ledger": "l", "teller-worker": "w",
      ])
    let fence = ReportCodec.encode(fence: 6, ledger: LedgerID("l"))
    #expect(fence.properties.type == "fence")
    #expect(fence.properties.headers == ["teller-number": 6, "teller-ledger": "l"])
  }
}
