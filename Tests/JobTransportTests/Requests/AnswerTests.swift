import AMQP
import Foundation
import JobModel
import JobTransport
import TestSupport
import Testing

@Suite struct AnswerTests {
  private static let id = JobID("01890a5d-ac96-774b-bcce-b302099a8057") ?? JobID()
  private let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: "c")

  private func job(number: Int64 = 7, _ outcome: Outcome?) -> Job {
    Job(
      number: number, id: Self.id, kind: "deposit", department: "counter", priority: 7,
      progress: JobProgress(state: outcome?.state ?? .queued, attempt: 2, maxAttempts: 3, release: 2, token: 2),
      order: OrderKey(plan: 1, rank: 4, position: 0), plan: Self.id, step: "s",
      submittedAt: Timestamp(milliseconds: 1), acceptedAt: Timestamp(milliseconds: 2),
      releasedAt: Timestamp(milliseconds: 3), startedAt: Timestamp(milliseconds: 5),
      finishedAt: Timestamp(milliseconds: 9), ran: .milliseconds(4), outcome: outcome)
  }

  private func members(_ message: TransientPublishing) throws -> [String: JSONValue] {
    try JSONDecoder().decode([String: JSONValue].self, from: Data(message.body))
  }

  @Test("a job's document has the documented members")
  func job() throws {
    let record = AttemptRecord(
      number: 1, worker: WorkerID("w"), startedAt: Timestamp(milliseconds: 1), endedAt: Timestamp(milliseconds: 2),
      end: .failed, failure: JobFailure(code: "c", message: "m"))
    let document = JobRecord(
      job(.succeeded(result: Array("ok".utf8), contentType: "text/plain")), attempts: [record])
    let message = AnswerCodec.encode(document, to: address)
    #expect(message.properties.type == "ok" && message.properties.correlationID == "c")
    #expect(message.exchange == "" && message.routingKey == "teller.reply.x")
    #expect(
      try members(message) == [
        "id": .string(Self.id.description), "number": .int(7), "kind": .string("deposit"),
        "department": .string("counter"), "priority": .int(7), "state": .string("succeeded"), "attempt": .int(2),
        "attempts": .int(3), "plan": .string(Self.id.description), "step": .string("s"), "rank": .int(4),
        "submitted_ms": .int(1), "accepted_ms": .int(2), "released_ms": .int(3), "started_ms": .int(5),
        "finished_ms": .int(9), "wait_ms": .int(3), "run_ms": .int(4), "result": .string("ok"),
        "result_content_type": .string("text/plain"),
        "attempts_made": .array([
          .object([
            "number": .int(1), "worker": .string("w"), "started_ms": .int(1), "ended_ms": .int(2),
            "result": .string("failed"),
            "error": .object(["error": .string("c"), "message": .string("m")]),
          ])
        ]),
      ])
    #expect(try AnswerCodec.decode(JobRecord.self, from: Deliveries.of(message)) == document)
  }

  @Test("an outcome comes back from its document as it was, for random outcomes and for long text")
  func outcomes() throws {
    var random = SeededRandom(for: "outcome documents")
    let longText = Outcome.succeeded(result: Array(repeating: 0x61, count: 100_000), contentType: nil)
    for outcome in (0..<300).map({ _ in random.outcome() }) + [longText] {
      let message = AnswerCodec.encode(JobRecord(job(outcome)), to: address)
      #expect(try AnswerCodec.decode(JobRecord.self, from: Deliveries.of(message)).outcome == outcome)
    }
  }

  @Test("the line of a list has neither result nor attempts, and a short message")
  func lines() {
    let long = JobFailure(code: "c", message: String(repeating: "m", count: 2_000))
    let failed = JobRecord(job(.failed(long)), extent: .line)
    #expect(failed.error?.message.count == JobRecord.longestLineMessage)
    let succeeded = JobRecord(job(.succeeded(result: [1], contentType: "a/b")), extent: .line)
    #expect(succeeded.result == nil && succeeded.resultData == nil && succeeded.attempts.isEmpty)
  }

  @Test("a status comes through its answer unchanged, with the documented members")
  func status() throws {
    let status = TellerStatus(
      ledger: LedgerID("l"), epoch: 2,
      coordinator: CoordinatorStatus(startedAt: Timestamp(milliseconds: 5), version: "1"),
      broker: BrokerStatus(state: .blocked),
      departments: [
        DepartmentStatus(
          department: "init", isOrdered: true, isPaused: true, gates: ["opening"], window: 1, cap: 9, tellers: 2,
          held: 9, delayed: 1, retrying: 2, dependent: 2, void: 10, queued: 4, running: 5, succeeded: 6, failed: 7,
          unsettled: 3, cancelled: 8,
          acceptedLastMinute: 9, endedLastMinute: 11, oldestWaiting: .milliseconds(12))
      ],
      workers: [
        WorkerStatus(
          id: WorkerID("w"), name: "host 7", tellers: ["in_it": 2], paused: ["init"], running: 1, stuck: [Self.id],
          isDraining: true, lastSeenMs: 30)
      ],
      handlers: [
        HandlerStatus(department: "init", kind: "a", jobs: 3, with: ["x"], without: ["y"], suggestion: "b")
      ],
      operations: [
        JobOperation(
          id: 7, action: .drop, department: nil, kind: nil, changed: 1, looked: 2, total: 3,
          startedAt: Timestamp(milliseconds: 5), finishedAt: nil)
      ])
    let message = AnswerCodec.encode(status, to: address)
    #expect(try AnswerCodec.decode(TellerStatus.self, from: Deliveries.of(message)) == status)
    #expect(
      String(decoding: message.body, as: UTF8.self)
        == #"{"broker":{"state":"blocked"},"coordinator":{"ignored_reports":0,"not_allowed":0,"started_ms":5,"version":"1"},"departments":["#
        + #"{"accepted_last_minute":9,"cancelled":8,"cap":9,"delayed":1,"dependent":2,"ended_last_minute":11,"#
        + #""failed":7,"gates":["opening"],"held":9,"name":"init","oldest_waiting_ms":12,"ordered":true,"paused":true,"queued":4,"restored":0,"retrying":2,"running":5,"succeeded":6,"suspects":0,"tellers":2,"unserved":0,"unsettled":3,"void":10,"waiting":8,"window":1}],"epoch":2,"#
        + #""handlers":[{"department":"init","did_you_mean":"b","jobs":3,"kind":"a","with":["x"],"without":["y"]}],"#
        + #""ledger":"l","#
        + #""operations":[{"action":"drop","changed":1,"id":7,"looked":2,"started_ms":5,"total":3}],"#
        + #""workers":[{"draining":true,"id":"w","last_seen_ms":30,"name":"host 7","paused":["init"],"running":1,"#
        + #""stuck":["01890a5d-ac96-774b-bcce-b302099a8057"],"stuck_count":1,"tellers":{"in_it":2},"told_to_drain":false}]}"#
    )
  }

  @Test("of many stuck jobs some are named, and all are counted")
  func stuck() throws {
    let jobs = (0..<50).map { _ in JobID() }
    let worker = WorkerStatus(
      id: WorkerID("w"), name: "host 7", tellers: [:], paused: [], running: 50, stuck: jobs, lastSeenMs: 30)
    #expect(worker.stuck == Array(jobs.prefix(WorkerStatus.stuckLimit)))
    #expect(worker.stuckCount == 50)
  }

  @Test("a page with too many bytes is cut, and says where to go on")
  func longPage() throws {
    let failure = JobFailure(code: "c", message: String(repeating: "\u{1}", count: 200))
    let jobs = (0..<1_000).map { JobRecord(job(number: 1_000 - $0, .failed(failure)), extent: .line) }
    let message = AnswerCodec.encode(JobPage(jobs: jobs, next: nil), to: address)
    #expect(message.body.count <= AnswerCodec.bodyLimit)
    let page = try AnswerCodec.decode(JobPage.self, from: Deliveries.of(message))
    #expect(!page.jobs.isEmpty && page.jobs.count < 1_000)
    #expect(page.next == page.jobs.last?.number)
    #expect(page.jobs == Array(jobs.prefix(page.jobs.count)))
  }

  @Test("a list of workers with too many kinds for one answer is cut, and says where to go on")
  func longWorkers() throws {
    let kinds = Set((0..<1_000).compactMap { JobKind("kind-\(String(repeating: "k", count: 80))-\($0)") })
    let workers = (0..<100).map { number in
      let status = WorkerStatus(
        id: WorkerID("w\(number)"), name: "desk", tellers: [:], paused: [], running: 0, stuck: [], lastSeenMs: 30)
      return WorkerPage.Worker(status, kinds: kinds)
    }
    let message = AnswerCodec.encode(WorkerPage(workers: workers, next: nil), to: address)
    #expect(message.body.count <= AnswerCodec.bodyLimit)
    let page = try AnswerCodec.decode(WorkerPage.self, from: Deliveries.of(message))
    #expect(!page.workers.isEmpty && page.workers == Array(workers.prefix(page.workers.count)))
    #expect(page.next == page.workers.last?.id)
  }

  @Test("a list of keys, of plans and of schedules is cut in the same way")
  func longLists() throws {
    var keys = KeyPage(
      keys: (0..<5).map {
        TakenKey(kind: "k", key: "\($0)", job: Self.id, state: nil, until: Timestamp(milliseconds: 1))
      },
      next: nil)
    let areKeysCut = keys.shorten()
    #expect(areKeysCut && keys.keys.map(\.key) == ["0", "1", "2"] && keys.next == keys.keys.last?.position)
    var plans = PlanPage(
      plans: (0..<2).map {
        PlanStatus(
          id: Self.id, phase: .running, number: 9 - $0, department: "init", state: .held, steps: 1, stepsDone: 0,
          acceptedAt: Timestamp(milliseconds: 1), finishedAt: nil)
      }, next: nil)
    let arePlansCut = plans.shorten()
    #expect(arePlansCut && plans.plans.map(\.number) == [9] && plans.next == 9)
    let isCutAgain = plans.shorten()
    #expect(!isCutAgain, "one plan stays")
    var schedules = SchedulePage(
      schedules: ["a", "b", "c"].map {
        ScheduleStatus(
          name: $0, expression: "* * * * *", timeZone: "GMT", kind: "k", department: nil, next: nil, last: nil)
      }, next: nil)
    let areSchedulesCut = schedules.shorten()
    #expect(areSchedulesCut && schedules.schedules.map(\.name) == ["a", "b"] && schedules.next == "b")
  }

  @Test("outcomes that do not fit into one answer are omitted by name, and none is missing")
  func longWait() throws {
    let jobs = (0..<20).map { _ in
      var job = job(.succeeded(result: Array(repeating: 0xFF, count: 200_000), contentType: nil))
      job.id = JobID()
      return JobRecord(job)
    }
    let message = AnswerCodec.encode(WaitDocument(finished: jobs, pending: [Self.id]), to: address)
    #expect(message.body.count <= AnswerCodec.bodyLimit)
    let answer = try AnswerCodec.decode(WaitDocument.self, from: Deliveries.of(message))
    #expect(!answer.finished.isEmpty)
    #expect(Set(answer.finished.map(\.id) + answer.omitted) == Set(jobs.map(\.id)))
    #expect(answer.finished.count + answer.omitted.count == jobs.count)
    #expect(answer.pending == [Self.id])
  }

  @Test("a payload comes through its answer byte for byte, the largest one too, with its content type and its trace")
  func payload() throws {
    let largest = (0..<ConnectionOptions(name: "test").bodyLimit).map { UInt8(truncatingIfNeeded: $0 &* 131) }
    let trace = TraceContext(traceparent: "00-a-b-01", tracestate: "x=y")
    for content in [
      JobContent(payload: largest, contentType: "a/b", trace: trace, headers: ["tenant": "north"]),
      JobContent(payload: [0xFF]), JobContent(),
    ] {
      let message = AnswerCodec.encode(content, to: address)
      #expect(message.properties.type == "ok" && message.properties.correlationID == "c")
      #expect(message.properties.contentType == content.contentType && message.body == content.payload)
      #expect(try AnswerCodec.decode(JobContent.self, from: Deliveries.of(message)) == content)
    }
  }

  @Test("a word of a later version is read, and written as it came")
  func laterWords() throws {
    let explanation =
      #"{"department":"init","job":"\#(Self.id)","kind":"k","reasons":[{"hold":"moon","text":"t"}],"state":"held"}"#
    let read = try AnswerCodec.decode(JobExplanation.self, from: Deliveries.json("ok", explanation))
    #expect(read.reasons.map(\.hold) == [JobExplanation.Hold(rawValue: "moon")])
    #expect(String(decoding: AnswerCodec.encode(read, to: address).body, as: UTF8.self) == explanation)
    let changes = #"{"changed":[],"unchanged":[{"job":"\#(Self.id)","reason":"moon"}]}"#
    let left = try AnswerCodec.decode(JobChanges.self, from: Deliveries.json("ok", changes))
    #expect(left.unchanged.map(\.reason.rawValue) == ["moon"])
    let operation = #"{"action":"moon","changed":1,"id":7,"looked":2,"started_ms":4,"total":3}"#
    #expect(try AnswerCodec.decode(JobOperation.self, from: Deliveries.json("ok", operation)).action.rawValue == "moon")
  }

  @Test("an error for an answer is thrown with its code")
  func errors() {
    let failure = JobFailure.jobNotFound(Self.id)
    let message = AnswerCodec.encode(failure, to: address)
    #expect(message.properties.type == "error")
    #expect(throws: RequestError.refused(failure)) {
      try AnswerCodec.decode(JobRecord.self, from: Deliveries.of(message))
    }
  }

  @Test("what is no answer is unreadable")
  func unreadable() {
    for delivery in [Deliveries.json("ok", "[]"), Deliveries.json("maybe", "{}"), Deliveries.json(nil, "{}")] {
      let error = #expect(throws: RequestError.self) { try AnswerCodec.decode(JobRecord.self, from: delivery) }
      guard case .unreadable? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }
}
