import AMQP
import JobModel
import JobTransport
import TestSupport

/// Real messages with random values: the body, and the schema that it should have.
struct WireSamples {
  typealias Sample = (schema: String, body: [UInt8])

  private var random: SeededRandom
  private let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: nil)

  init(_ random: SeededRandom) { self.random = random }

  mutating func all() throws -> [Sample] {
    var plans = PlanSamples(random)
    let aboutPlans = try plans.all()
    random = plans.random
    return aboutPlans + submissions() + questions() + answers() + lists() + commandAnswers() + workers() + control()
  }

  private mutating func submissions() -> [Sample] {
    let failed = Reply(job: nil, correlationID: nil, content: .outcome(.failed(random.failure())))
    let decided = DecidedPart(
      state: .failed, isSameContent: random.chance(), isAgain: random.chance(), replaces: random.job(),
      failure: random.failure())
    let duplicate = Reply(job: nil, correlationID: nil, content: .duplicate, decided: decided)
    let position = NotificationPosition(epoch: 1, seq: 7)
    let notifications = [random.notification(seq: 7), random.notification(seq: nil)]
    return [
      ("error", ReplyCodec.encode(failed, to: "teller.reply.x").body),
      ("decided", ReplyCodec.encode(duplicate, to: "teller.reply.x").body),
      ("error", AnswerCodec.encode(random.failure(), to: address).body),
      ("notifications", NotificationCodec.encode(live: notifications).body),
      ("notifications", NotificationCodec.encode(marker: "m", ledger: random.ledger(), at: position).body),
    ]
  }

  private mutating func questions() -> [Sample] {
    let names = [
      "status": "empty-request", "reset": "empty-request", "show": "job-request", "explain": "job-request",
      "cancel": "selection", "replay": "selection", "drop": "selection", "accept_restored": "selection",
      "drop_restored": "selection", "resume": "pause-request",
      "free_key": "free-key-request", "reset_keys": "reset-keys-request", "payload": "job-request",
      "event": "job-request",
      "keep_place": "keep-place-request", "forget_subscriber": "subscriber-request",
      "stop_plan": "stop-plan-request",
    ]
    let messages =
      random.requests().map { RequestCodec.encode($0, address: address, expiration: .seconds(1)) }
      + random.commands().map { AdminCodec.encode($0, address: address, expiration: .seconds(1)) }
    return messages.map { message in
      let type = message.properties.type ?? ""
      return (names[type] ?? "\(type)-request", message.body)
    }
  }

  private mutating func answers() -> [Sample] {
    var document = JobRecord(random.recordedJob(), attempts: [random.attempt()])
    document.hold = random.firstHold()
    document.progress = random.progress()
    document.progress?.heardAt = random.time()
    document.run = PresentRun(attempt: 2, worker: random.worker(), workerName: random.text(), startedAt: random.time())
    (document.rule, document.ruleEvent, document.cause) = ("alert", "1/42", random.job())
    document.ledTo = [random.job()]
    document.actions = [random.action()]
    let wait = WaitDocument(
      finished: [document], pending: [random.job()], unknown: [random.job()], omitted: [random.job()])
    let times = JobReport.Times(p50: 1, p90: 2, p99: 3, max: 4, sum: 9)
    let line = JobReport.Line(
      department: random.department(), succeeded: 1, failed: 2, cancelled: 3, retries: 4, waited: times, ran: times)
    let report = JobReport(
      from: random.time(), until: random.time(), lines: [line], isTruncated: random.chance(), epoch: random.count(),
      through: Int64(random.count()))
    let reasons = JobExplanation.Hold.all.map {
      JobExplanation.Reason(
        hold: $0, text: random.text(), lifts: random.text(), since: random.time(), until: random.time(),
        jobs: [random.job()], worker: random.text())
    }
    let explain = JobExplanation(
      job: random.job(), state: .held, kind: random.kind(), department: random.department(), reasons: reasons)
    return [
      ("status", AnswerCodec.encode(random.status(), to: address).body),
      ("actions", AnswerCodec.encode(ActionPage(actions: [random.action()], next: 7), to: address).body),
      ("board", AnswerCodec.encode(random.board(), to: address).body),
      ("job", AnswerCodec.encode(document, to: address).body),
      ("jobs", AnswerCodec.encode(JobPage(jobs: [document], next: 7), to: address).body),
      ("failures", AnswerCodec.encode(random.failureCounts(), to: address).body),
      ("count", AnswerCodec.encode(random.jobCount(), to: address).body),
      ("wait", AnswerCodec.encode(wait, to: address).body),
      ("explain", AnswerCodec.encode(explain, to: address).body),
      ("report", AnswerCodec.encode(report, to: address).body),
    ]
  }

  private mutating func lists() -> [Sample] {
    let schedule = ScheduleStatus(
      name: random.name(), expression: "0 3 * * *", timeZone: "GMT", kind: random.kind(),
      department: random.department(),
      next: random.time(), last: random.time(), lastJob: random.job(), lastState: .running)
    let key = TakenKey(
      kind: random.kind(), key: random.text(), job: random.job(), state: .held, until: random.time())
    let subscriber = SubscriberStatus(
      name: random.subscriber(), epoch: 1, sequence: 7, offset: 9, behind: 3, seen: random.time())
    let whileLive = TakenKey(kind: random.kind(), key: random.text(), job: random.job(), state: .held, until: nil)
    var ended = KeyStatus(random.keyPosition())
    (ended.isTaken, ended.job, ended.waiting, ended.isWhileLive) = (random.chance(), random.job(), 2, true)
    (ended.sinceMs, ended.untilMs, ended.finishedMs) = (random.time(), random.time(), random.time())
    ended.end(with: random.outcome())
    var succeeded = ended
    succeeded.end(with: .succeeded(result: Array("7".utf8), contentType: "application/json"))
    let worker = WorkerPage.Worker(random.workerStatus(), kinds: [random.kind()])
    return [
      ("workers", AnswerCodec.encode(WorkerPage(workers: [worker], next: random.worker()), to: address).body),
      ("schedules", AnswerCodec.encode(SchedulePage(schedules: [schedule], next: random.name()), to: address).body),
      ("subscriber", AnswerCodec.encode(subscriber, to: address).body),
      ("subscribers", AnswerCodec.encode(SubscriberPage(subscribers: [subscriber], next: "b"), to: address).body),
      ("keys", AnswerCodec.encode(KeyPage(keys: [key, whileLive], next: random.keyPosition()), to: address).body),
      ("key", AnswerCodec.encode(KeyStatus(random.keyPosition()), to: address).body),
      ("key", AnswerCodec.encode(ended, to: address).body),
      ("key", AnswerCodec.encode(succeeded, to: address).body),
    ]
  }

  private mutating func commandAnswers() -> [Sample] {
    var operation = JobOperation(
      id: 7, action: .replay, department: random.department(), kind: random.kind(), changed: 1, looked: 2, total: 3,
      startedAt: random.time(), finishedAt: random.time())
    operation.key = random.text()
    let filtered: JobOperation.Action = random.chance() ? .cancel : .replay
    operation.filter = random.narrowing(for: filtered)
    let change = JobChanges(
      changed: [random.job()], replays: [random.job()],
      unchanged: [JobChanges.Unchanged(job: random.job(), reason: .replayed, replay: random.job())])
    let worker = DepartmentResize.Worker(id: random.worker(), name: random.text(), before: 1, tellers: 2)
    let pause = DepartmentPause(department: random.department(), isPaused: random.chance(), isNew: random.chance())
    let resize = DepartmentResize(department: random.department(), workers: [worker])
    let drain = WorkerDrain(
      id: random.worker(), name: random.text(), isNew: random.chance(), isTold: random.chance(),
      isDraining: random.chance(), running: 2, lastSeenMs: 30)
    let rerank = JobPlace(job: random.job(), state: .queued, priority: random.priority(), rank: 2)
    let key = FreedKey(kind: random.kind(), key: random.text(), wasTaken: random.chance())
    return [
      ("operation", AnswerCodec.encode(operation, to: address).body),
      ("change", AnswerCodec.encode(change, to: address).body),
      ("pause", AnswerCodec.encode(pause, to: address).body),
      ("resize", AnswerCodec.encode(resize, to: address).body),
      ("drain", AnswerCodec.encode(drain, to: address).body),
      ("rerank", AnswerCodec.encode(rerank, to: address).body),
      ("forgotten-subscriber", AnswerCodec.encode(ForgottenSubscriber(name: "a", wasKept: true), to: address).body),
      ("freed-key", AnswerCodec.encode(key, to: address).body),
      ("action", AnswerCodec.encode(random.action(), to: address).body),
    ]
  }

  private mutating func workers() -> [Sample] {
    let claims = ReportCodec.encode([random.claim()]).map { (schema: "claims", body: $0.body) }
    return claims + [
      ("failed-report", failedReport()),
      ("presence", PresenceCodec.encode(random.presence()).body),
      ("started", PresenceCodec.encode(random.started()).body),
    ] + PresenceCodec.encode(random.workerProgress(runs: 2)).map { (schema: "progress", body: $0.body) }
  }

  /// What follows the line of a report that says more than that the attempt has failed.
  private mutating func failedReport() -> [UInt8] {
    var report = random.report()
    report.result = .failed(random.failure(), isPermanent: false)
    report.hint = random.hint()
    let body = ReportCodec.encode([report]).flatMap(\.message.body)
    return Array(body.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
  }

  private mutating func control() -> [Sample] {
    let worker = random.worker()
    let void = [random.release(), random.release()]
    let change = VoidChange(void: void, ended: Array(void.prefix(1)), forgotten: [random.release()])
    let messages =
      ControlCodec.encode(random.welcome(), to: worker) + [
        ControlCodec.encode(
          probe: random.count(), since: random.maybe { Timestamp(milliseconds: Int64($0.count())) }, to: worker)
      ]
      + ControlCodec.encode([random.answer()], to: worker) + [ControlCodec.encode(random.staffing(), to: worker)]
      + ControlCodec.encode(change, toWorkersOf: random.department())
      + ControlCodec.encode(adopted: [random.release()], to: worker)
      + ControlCodec.encode(recorded: [random.release()], to: worker)
      + [nil, random.release()].map { release in
        let refused = RefusedMessage(type: random.name(), failure: random.failure(), release: release)
        return ControlCodec.encode(refused, to: worker)
      }
    return messages.map { ($0.properties.type ?? "", $0.body) }
  }
}

extension SeededRandom {
  fileprivate mutating func failureCounts() -> FailureCounts {
    let line = FailureCounts.Line(
      department: department(), kind: kind(), error: failure().code, jobs: count(), newestAt: time(), example: job())
    return FailureCounts(lines: [line], next: 7)
  }

  fileprivate mutating func jobCount() -> JobCount {
    if chance() {
      return JobCount(
        .drop, department: department(), kind: kind(), filter: narrowing(for: .drop), failed: count())
    }
    return JobCount(
      .cancel, department: department(), kind: kind(), filter: narrowing(for: .cancel), held: count(),
      queued: count(), running: 1, plans: 2)
  }

  /// A job of which everything is said that can be said at once.
  fileprivate mutating func recordedJob() -> Job {
    // Random bytes are hardly ever text, and a result that is text is shown as such.
    let outcome = chance() ? outcome() : .succeeded(result: Array(text().utf8), contentType: nil)
    var progress = JobProgress(maxAttempts: 3)
    progress.deaths = Int.random(in: 0...2, using: &self)
    progress.state = chance() ? .held : outcome.state
    return Job(
      number: 7, id: job(), kind: kind(), department: department(), priority: priority(), progress: progress,
      order: OrderKey(plan: 1, rank: 4, position: 0), plan: job(), step: text(),
      round: Int.random(in: 0...2, using: &self), notBefore: time(), startBy: time(), timeout: timeout(),
      key: key().text, againOf: job(), settlement: settlement(),
      submittedAt: time(), acceptedAt: time(), releasedAt: time(), startedAt: time(), finishedAt: time(), ran: span(),
      outcome: outcome)
  }

  private mutating func settlement() -> Settlement {
    if chance() { return .replayed(job()) }
    return chance() ? .dropped : .handled
  }

  /// Of a held job.
  fileprivate mutating func firstHold() -> JobExplanation.Hold {
    let holds: [JobExplanation.Hold] = [
      .schedule, .retry, .paused, .gate, .window, .cap, .order, .after, .handler, .suspect, .operation, .department,
      .epoch,
    ]
    return holds[Int.random(in: holds.indices, using: &self)]
  }

  fileprivate mutating func attempt() -> AttemptRecord {
    var attempt = AttemptRecord(
      number: 1, worker: worker(), startedAt: time(), endedAt: time(), end: .interrupted, failure: failure())
    attempt.workerName = text()
    return attempt
  }

  fileprivate mutating func workerStatus() -> WorkerStatus {
    WorkerStatus(
      id: worker(), name: text(), tellers: [name(): 2], paused: [name()], running: 1, inHand: 3, stuck: [job()],
      isDraining: chance(), isToldToDrain: chance(), lastSeenMs: 30)
  }

  mutating func coordinatorStatus() -> CoordinatorStatus {
    CoordinatorStatus(
      startedAt: time(), version: "1",
      deadLetters: [DeadLetterCount(DeadLetterCause(queue: text(), reason: text()), count: 3)])
  }

  mutating func departmentStatus() -> DepartmentStatus {
    DepartmentStatus(
      department: department(), isConfigured: chance(), isOrdered: chance(), isPaused: chance(),
      gates: [planName()], window: 1, cap: 9,
      ahead: 2, refused: text(), tellers: 2, stuckTellers: 1, held: 3, delayed: 1, retrying: 1,
      nextRetry: NextRetry(at: time(), error: JobFailure(code: "late", message: text())), dependent: 2, unserved: 3,
      suspects: 1, void: 10, queued: 4, running: 5,
      succeeded: 6, failed: 7, unsettled: 3, cancelled: 8, acceptedLastMinute: 9, endedLastMinute: 10,
      oldestWaiting: .milliseconds(11))
  }

  fileprivate mutating func status() -> TellerStatus {
    TellerStatus(
      ledger: ledger(), epoch: count(), coordinator: coordinatorStatus(),
      broker: BrokerStatus(state: .lost),
      departments: [
        departmentStatus()
      ],
      workers: [workerStatus()],
      handlers: [
        HandlerStatus(
          department: department(), kind: kind(), jobs: 3, with: [text()], without: [text()], suggestion: kind())
      ],
      operations: [operation()])
  }

  mutating func operation() -> JobOperation {
    JobOperation(
      id: 7, action: .replay, department: department(), kind: kind(), key: key().text, by: author(), changed: 1,
      looked: 2, total: 3,
      startedAt: time(), finishedAt: nil)
  }
}
