import AMQP
import JobModel
import JobTransport
import Testing

/// The documented names, letter by letter: whoever renames one breaks every client that is out there.
@Suite struct WireNamesTests {
  private static let id = JobID("01890a5d-ac96-774b-bcce-b302099a8057") ?? JobID()
  private static let release = ReleaseID(job: id, number: 3)

  private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

  @Test("exchanges and queues have their documented names")
  func topology() {
    #expect(
      Topology.exchanges.map { "\($0.name) \($0.kind)" } == [
        "teller.submit fanout", "teller.jobs direct", "teller.reports direct", "teller.presence direct",
        "teller.control direct", "teller.requests direct", "teller.admin direct", "teller.notifications topic",
      ])
    #expect(Topology.exchanges.allSatisfy { $0.isDurable && !$0.isAutoDelete })
    #expect(
      Topology.queues.map(\.name) == [
        "teller.submissions", "teller.reports", "teller.presence", "teller.requests", "teller.admin", "teller.rejected",
        "teller.notifications",
      ])
    #expect(Topology.queues.allSatisfy { $0.isDurable && !$0.isExclusive && !$0.isAutoDelete })
    #expect(
      Topology.bindings.map { "\($0.exchange) \($0.routingKey) \($0.queue)" } == [
        "teller.submit  teller.submissions", "teller.reports teller.reports teller.reports",
        "teller.presence teller.presence teller.presence", "teller.requests teller.requests teller.requests",
        "teller.admin teller.admin teller.admin", "teller.notifications log teller.notifications",
      ])
  }

  @Test(
    "queues have their documented arguments",
    arguments: [
      (
        "teller.submissions",
        [
          "x-queue-type": "quorum", "x-delivery-limit": 1_000_000, "x-overflow": "reject-publish",
          "x-max-length": 200_000, "x-max-length-bytes": 536_870_912, "x-single-active-consumer": true,
        ] as FieldTable
      ),
      (
        "teller.reports",
        ["x-queue-type": "quorum", "x-delivery-limit": 1_000_000, "x-single-active-consumer": true]
      ),
      ("teller.presence", ["x-queue-type": "classic", "x-max-length": 10_000, "x-message-ttl": 10_000]),
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
    let department = Topology.departmentQueue("init")
    #expect(department.name == "teller.department.init")
    #expect(department.arguments.fieldTable == ["x-queue-type": "classic", "x-max-priority": 9])
    #expect(department.isDurable && !department.isExclusive && !department.isAutoDelete)
    #expect(
      Topology.departmentBinding("init")
        == Topology.Binding(queue: "teller.department.init", exchange: "teller.jobs", routingKey: "init"))
    let worker = Topology.workerQueue(WorkerID("w1"))
    #expect(worker.name == "teller.worker.w1" && worker.isExclusive && worker.isAutoDelete && !worker.isDurable)
    #expect(
      Topology.workerBindings(WorkerID("w1"), departments: ["init", "loan"]).map(\.routingKey)
        == ["all", "department.init", "department.loan", "worker.w1"])
    let reply = Topology.replyQueue(Self.id)
    #expect(reply.name == "teller.reply.01890a5d-ac96-774b-bcce-b302099a8057")
    #expect(reply.isExclusive && reply.isAutoDelete)
    #expect(ReplyAddress.isAllowed(reply.name))
    let coordinator = Topology.coordinatorQueue
    #expect(coordinator.name == "teller.coordinator" && coordinator.isExclusive && !coordinator.isAutoDelete)
  }

  @Test("a submission is AMQP's own properties and the documented headers")
  func submission() {
    let message = SubmissionCodec.encode(
      Submission(
        id: Self.id, kind: "deposit", department: "counter", priority: 7, payload: [1, 2], contentType: "a/b",
        submittedAt: Timestamp(milliseconds: 1_700_000_000_123), maxAttempts: 5, rank: 2,
        reply: ReplyAddress(replyTo: "teller.reply.x", correlationID: "c", wait: .accepted),
        trace: TraceContext(traceparent: "tp", tracestate: "ts")))
    let expected = MessageProperties(
      contentType: "a/b",
      headers: [
        "teller-department": "counter", "teller-attempts": 5, "teller-rank": 2, "teller-wait": "accepted",
        "teller-submitted-ms": 1_700_000_000_123, "traceparent": "tp", "tracestate": "ts",
      ], priority: 7, correlationID: "c", replyTo: "teller.reply.x", messageID: "01890a5d-ac96-774b-bcce-b302099a8057",
      timestamp: 1_700_000_000, type: "deposit")
    #expect(message == Publishing(exchange: "teller.submit", routingKey: "", properties: expected, body: [1, 2]))
  }

  @Test("an assignment is the job's properties and the documented headers")
  func assignment() {
    let message = AssignmentCodec.encode(
      Assignment(
        release: Self.release, token: 4, ledger: LedgerID("l"), kind: "deposit", department: "counter", priority: 7,
        attempt: 2, maxAttempts: 5, mustClaim: true, payload: [9], contentType: nil, trace: TraceContext()))
    let expected = MessageProperties(
      headers: [
        "teller-department": "counter", "teller-release": 3, "teller-token": 4, "teller-ledger": "l",
        "teller-attempt": 2, "teller-attempts": 5, "teller-claim": true,
      ], priority: 7, messageID: "01890a5d-ac96-774b-bcce-b302099a8057", type: "deposit")
    #expect(message == Publishing(exchange: "teller.jobs", routingKey: "counter", properties: expected, body: [9]))
  }

  @Test("reports, claims and fences have the documented types and headers")
  func reports() {
    let report = Report(
      release: Self.release, token: 4, ledger: LedgerID("l"), worker: WorkerID("w"), kind: "deposit",
      department: "counter", attempt: 2, startedAgo: .microseconds(1500), ran: .microseconds(1200),
      result: .failed(JobFailure(code: "c", message: "m"), isPermanent: true))
    let message = ReportCodec.encode(report)
    #expect(message.exchange == "teller.reports" && message.routingKey == "teller.reports")
    #expect(message.properties.type == "failed" && message.properties.contentType == "application/json")
    #expect(text(message.body) == #"{"error":"c","message":"m"}"#)
    #expect(
      message.properties.headers == [
        "teller-release": 3, "teller-token": 4, "teller-ledger": "l", "teller-worker": "w", "teller-kind": "deposit",
        "teller-department": "counter", "teller-attempt": 2, "teller-started-ago-us": 1500, "teller-ran-us": 1200,
        "teller-permanent": true,
      ])
    let claim = ReportCodec.encode(
      ClaimRequest(release: Self.release, ledger: LedgerID("l"), worker: WorkerID("w"), number: 8))
    #expect(claim.properties.type == "claim")
    #expect(
      claim.properties.headers == [
        "teller-release": 3, "teller-ledger": "l", "teller-worker": "w", "teller-claim": 8,
      ])
    let fence = ReportCodec.encode(fence: 6, ledger: LedgerID("l"))
    #expect(fence.properties.type == "fence")
    #expect(fence.properties.headers == ["teller-number": 6, "teller-ledger": "l"])
  }

  @Test("presence and control messages are the documented JSON")
  func presence() {
    let presence = PresenceCodec.encode(
      Presence(
        worker: WorkerID("w"), session: 2, name: "host 7", tellers: ["in_it": 2], ledger: LedgerID("l"), probe: 5,
        running: [RunningRelease(release: Self.release, token: 4)], isGoodbye: true))
    #expect(presence.exchange == "teller.presence" && presence.routingKey == "teller.presence")
    #expect(presence.properties.type == "presence")
    #expect(
      text(presence.body)
        == #"{"goodbye":true,"ledger":"l","name":"host 7","probe":5,"running":[{"#
        + #""job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3,"token":4}],"session":2,"#
        + #""tellers":{"in_it":2},"worker":"w"}"#)
    let claim = ClaimRequest(release: Self.release, ledger: LedgerID("l"), worker: WorkerID("w"), number: 8)
    let answer = ControlCodec.encode(.run(token: 5, attempt: 2), to: claim)
    #expect(answer.exchange == "teller.control" && answer.routingKey == "worker.w")
    #expect(answer.properties.type == "answer")
    #expect(
      text(answer.body)
        == #"{"attempt":2,"claim":8,"job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3,"token":5,"#
        + #""verdict":"run"}"#)
    let probe = ControlCodec.encode(probe: 9, to: WorkerID("w"))
    #expect(probe.properties.type == "probe" && text(probe.body) == #"{"number":9}"#)
    let pulses = [PresenceCodec.pulse, ControlCodec.pulse(to: WorkerID("w"))]
    #expect(pulses.allSatisfy { $0.properties.type == "pulse" && $0.body.isEmpty })
    #expect(pulses.map(\.routingKey) == ["teller.presence", "worker.w"])
    let welcome = Welcome(ledger: LedgerID("l"), session: 1, departments: ["init"], unknown: ["x"])
    #expect(
      text(ControlCodec.encode(welcome, to: WorkerID("w")).body)
        == #"{"departments":["init"],"ledger":"l","session":1,"unknown":["x"]}"#)
  }

  @Test("a reply goes straight to its queue with the documented types, and expires")
  func replies() {
    let failure = JobFailure(code: "c", message: "m")
    let contents: [(Reply.Content, String, String)] = [
      (.accepted, "accepted", ""), (.duplicate, "duplicate", ""),
      (.rejected(failure), "rejected", #"{"error":"c","message":"m"}"#),
      (.outcome(.succeeded(result: Array("r".utf8), contentType: "a/b")), "succeeded", "r"),
      (.outcome(.failed(failure)), "failed", #"{"error":"c","message":"m"}"#),
      (.outcome(.cancelled(failure)), "cancelled", #"{"error":"c","message":"m"}"#),
    ]
    for (content, type, body) in contents {
      let message = ReplyCodec.encode(Reply(job: "j", correlationID: "c", content: content), to: "teller.reply.x")
      #expect(message.exchange == "" && message.routingKey == "teller.reply.x")
      #expect(message.properties.type == type && message.properties.correlationID == "c")
      #expect(message.properties.headers == ["teller-job": "j"] && message.properties.expiration == "60000")
      #expect(text(message.body) == body)
    }
  }

  @Test("a message of the notification stream is the documented JSON array with its headers")
  func notifications() {
    let first = Notification(
      seq: 7, job: Self.id, kind: "deposit", department: "counter", event: "failed", attempt: 2,
      at: Timestamp(milliseconds: 1000), startedAgoMs: 5, runMs: 3, error: JobFailure(code: "c", message: "a \"b\""))
    let second = Notification(
      seq: 8, job: Self.id, kind: "deposit", department: "counter", event: "succeeded", attempt: 1,
      at: Timestamp(milliseconds: 1001))
    let message = NotificationCodec.encode(
      NotificationBatch(ledger: LedgerID("l"), epoch: 2, notifications: [first, second]))
    #expect(message.exchange == "teller.notifications" && message.routingKey == "log")
    #expect(
      message.properties.headers
        == ["teller-ledger": "l", "teller-epoch": 2, "teller-first": 7, "teller-last": 8])
    #expect(
      text(message.body)
        == #"[{"seq":7,"job":"01890a5d-ac96-774b-bcce-b302099a8057","kind":"deposit","department":"counter","#
        + #""event":"failed","attempt":2,"at":1000,"started_ago_ms":5,"run_ms":3,"error":{"error":"c","#
        + #""message":"a \"b\""}},{"seq":8,"job":"01890a5d-ac96-774b-bcce-b302099a8057","kind":"deposit","#
        + #""department":"counter","event":"succeeded","attempt":1,"at":1001}]"#)
    #expect(NotificationCodec.encode(live: [second]).routingKey == "live")
  }

  @Test("requests are the documented JSON")
  func requests() {
    let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: "c")
    let jobs = RequestCodec.encode(
      .jobs(JobsQuery(department: "init", state: .failed, kind: "k", limit: 5, before: 9)), address: address,
      expiration: .seconds(5))
    #expect(jobs.exchange == "teller.requests" && jobs.routingKey == "teller.requests")
    #expect(jobs.properties.type == "jobs" && jobs.properties.expiration == "5000")
    #expect(text(jobs.body) == #"{"before":9,"department":"init","kind":"k","limit":5,"state":"failed"}"#)
    let wait = RequestCodec.encode(
      .wait(WaitQuery(ids: [Self.id], limit: .seconds(3))), address: address, expiration: .seconds(5))
    #expect(wait.properties.type == "wait")
    #expect(text(wait.body) == #"{"ids":["01890a5d-ac96-774b-bcce-b302099a8057"],"limit_ms":3000}"#)
    let show = RequestCodec.encode(.show(Self.id), address: address, expiration: .seconds(5))
    #expect(show.properties.type == "show")
    #expect(text(show.body) == #"{"id":"01890a5d-ac96-774b-bcce-b302099a8057"}"#)
    #expect(RequestCodec.encode(.status, address: address, expiration: .seconds(5)).properties.type == "status")
  }
}
