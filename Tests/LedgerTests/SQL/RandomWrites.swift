import Foundation
import JobModel
import TestSupport

@testable import Ledger

/// Everything that a coordinator writes, in any order: whether it makes sense is not looked at.
struct RandomWrites {
  var random: SeededRandom
  /// Every job that was ever accepted, by its number.
  private var jobs: [Int64: NewJob] = [:]
  /// Their numbers, which rise.
  private var numbers: [Int64] = []
  var plans: [PlanSubmission] = []
  /// Every event that was ever recorded.
  var events: [JobID] = []
  var now: Int64 = 0

  init(random: SeededRandom) { self.random = random }

  typealias Step = @Sendable (inout RandomWrites, LedgerTransaction) throws -> Void

  /// By name; those named twice happen more often.
  static let steps: [(name: String, run: Step)] = [
    ("accept", { try $0.accept($1) }), ("accept", { try $0.accept($1) }), ("accept", { try $0.accept($1) }),
    ("release", { try $0.release($1) }), ("release", { try $0.release($1) }), ("finish", { try $0.finish($1) }),
    ("finish", { try $0.finish($1) }), ("finish", { try $0.finish($1) }), ("hold", { try $0.hold($1) }),
    ("mark", { try $0.mark($1) }), ("settle", { try $0.settle($1) }), ("plan", { try $0.plan($1) }),
    ("dependency", { try $0.dependency($1) }), ("key", { try $0.key($1) }), ("void", { try $0.void($1) }),
    ("subscriber", { try $0.subscriber($1) }), ("withhold", { try $0.withhold($1) }),
    ("worker", { try $0.worker($1) }), ("change", { try $0.change($1) }),
    ("operation", { try $0.operation($1) }), ("action", { try $0.action($1) }),
    ("sent", { try $1.markSent(upTo: try $1.lastSeq()) }),
    ("retention", { try $0.retention($1) }), ("beginning", { try $0.beginning($1) }),
    ("phase", { try $0.phase($1) }), ("event", { try $0.event($1) }), ("rest", { try $0.rest($1) }),
  ]

  /// Some of them, in one transaction.
  mutating func turn(_ transaction: LedgerTransaction) throws {
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      now += 10
      let step = Self.steps[Int.random(in: 0..<Self.steps.count, using: &random)]
      do {
        try step.run(&self, transaction)
      } catch let error as LedgerError {
        // Of what is not there, or has ended: the transaction goes on.
        guard case .failed = error else { throw error }
      }
    }
    if chance(0.05) { throw LedgerError.failed("nothing of this is recorded") }
  }
}

extension RandomWrites {
  mutating func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &random) < part }
  mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
  mutating func one<Value>(of values: [Value]) -> Value { values[number(values.count)] }
  mutating func id() -> JobID { JobID(UUID(from: &random)) }
  mutating func time() -> Timestamp { .test(now + Int64(number(2_000)) - 1_000) }
  mutating func department() -> Department { one(of: ["deposits", "loans", "ordered"]) }
  mutating func kind() -> JobKind { one(of: ["deposit", "loan", "step"]) }
  mutating func workerID() -> WorkerID { WorkerID("worker \(number(4))") }
  mutating func key() -> String { "key \(number(5))" }

  /// Some job, which may have ended, or been removed; sometimes one that never was.
  mutating func job() -> (number: Int64, job: NewJob) {
    guard !jobs.isEmpty, !chance(0.03) else { return (9_999, .held()) }
    let number = one(of: numbers.suffix(12))
    return (number, jobs[number] ?? .held())
  }

  mutating func reply() -> ReplyAddress? {
    chance(0.5) ? nil : ReplyAddress(replyTo: "reply", correlationID: chance(0.5) ? nil : "é", wait: .outcome)
  }

  mutating func outcome() -> Outcome {
    let failure = JobFailure(code: "x", message: chance(0.5) ? "" : "it said \"no\"\n")
    switch number(4) {
    case 0: return .failed(failure)
    case 1: return .cancelled(failure)
    default:
      return .succeeded(result: [UInt8](repeating: 9, count: number(40)), contentType: chance(0.5) ? nil : "text/plain")
    }
  }
}

extension RandomWrites {
  private mutating func accept(_ transaction: LedgerTransaction) throws {
    let payload = [UInt8](repeating: 7, count: one(of: [0, 10, LedgerTransaction.inlinePayload + 1]))
    let (kind, department, time) = (kind(), department(), time())
    let order = department == "ordered" ? OrderPlace(plan: nil, rank: number(3), position: number(3)) : nil
    let plan = chance(0.2) ? plans.last?.id : nil
    var job = NewJob.held(
      id(), kind: kind, in: department, payload: payload, order: order, plan: plan, step: plan.map { _ in "s" }, at: now
    )
    job.job.reply = reply()
    if chance(0.2) { job.job.notBefore = time }
    if chance(0.2) { job.job.startBy = time }
    if chance(0.3) {
      job.dependencies = [self.job().job.id, id()].map { Dependency(on: $0, rule: .fail, isKnown: chance(0.5)) }
    }
    if chance(0.3) { job.job.key = key() }
    if job.job.notBefore == nil, job.dependencies.isEmpty, chance(0.5) {
      _ = job.job.progress.apply(.lifted)
      job.job.releasedAt = .test(now)
    }
    guard case .new(let number) = try transaction.accept(job) else { return }
    if jobs.updateValue(job, forKey: number) == nil { numbers.append(number) }
    if let key = job.job.key {
      try transaction.takeKey(kind, key, job: job.id, until: time)
      // Retention does so, of a job that has its key for so long.
      if chance(0.2) { try transaction.keepOutcome(of: number, kind: kind, key: key) }
    }
    _ = try transaction.markKnown(chance(0.2) ? self.job().job.id : job.id)
    if chance(0.1) { _ = try transaction.accept(job) }
  }

  private mutating func release(_ transaction: LedgerTransaction) throws {
    for ready in try transaction.ready(in: department(), priority: .normal, limit: 3) {
      guard let held = try transaction.held(ready.number) else { continue }
      var progress = held.job.progress
      _ = progress.apply(.lifted)
      try transaction.save(progress, of: ready.number, releasedAt: .test(now), isBeside: chance(0.5))
    }
  }

  private mutating func hold(_ transaction: LedgerTransaction) throws {
    let (number, _) = job()
    guard var progress = try transaction.job(number: number)?.progress else { return }
    progress.state = .held
    try transaction.hold(number, progress, notBefore: chance(0.5) ? nil : time())
    for due in try transaction.due(at: .test(now), limit: 2) {
      try transaction.lift(due.number, startBy: chance(0.5) ? nil : time())
    }
  }

  private mutating func finish(_ transaction: LedgerTransaction) throws {
    let (number, job) = job()
    guard var progress = try transaction.job(number: number)?.progress else { return }
    let outcome = outcome()
    progress.state = outcome.state
    let attempt = AttemptRecord(
      number: progress.attempt, worker: nil, startedAt: nil, endedAt: .test(now), end: .failed, failure: nil)
    _ = try transaction.finish(
      number, progress, outcome, startedAt: chance(0.5) ? nil : time(), finishedAt: .test(now),
      ran: chance(0.5) ? nil : .microseconds(self.number(9_999)), by: chance(0.5) ? nil : workerID(),
      attempt: chance(0.3) ? attempt : nil, of: job.identity)
    if chance(0.5) { try transaction.removeDependencies(of: number) }
  }

  private mutating func mark(_ transaction: LedgerTransaction) throws {
    let numbers = [job().number, job().number]
    try transaction.markConfirmed(numbers.map { (number: $0, release: 1) })
    if chance(0.3) { try transaction.markUnconfirmed(numbers) }
    try transaction.adopt(numbers[0], by: chance(0.5) ? nil : workerID())
    try transaction.record(GrantRecord(worker: workerID(), at: time(), number: number(99)), of: numbers[1])
  }

  private mutating func settle(_ transaction: LedgerTransaction) throws {
    _ = try transaction.settle(job().number, chance(0.5) ? .dropped : .replayed(id()))
  }

  private mutating func plan(_ transaction: LedgerTransaction) throws {
    if plans.isEmpty || chance(0.5) {
      let plan = PlanSubmission(id: id(), department: department(), steps: [], reply: reply())
      plans.append(plan)
      _ = try transaction.accept(plan, at: .test(now))
    }
    let plan = one(of: plans).id
    if chance(0.3) { try transaction.replaceReply(ofPlan: plan, reply()) }
    if chance(0.3) { try transaction.finishPlan(plan, outcome(), at: time()) }
  }

  private mutating func dependency(_ transaction: LedgerTransaction) throws {
    for dependent in try transaction.dependents(of: job().job.id, limit: 2) {
      _ = try transaction.endDependency(of: dependent.job.number, on: dependent.on)
    }
    _ = try transaction.unknownDependencies(since: time(), limit: 3)
  }

  private mutating func key(_ transaction: LedgerTransaction) throws {
    try transaction.takeKey(kind(), key(), job: job().job.id, until: time())
    if chance(0.3) { _ = try transaction.freeKey(kind(), key(), command: UUID(from: &random), at: time()) }
    if chance(0.2) {
      let (kind, key) = (kind(), chance(0.5) ? key() : nil)
      // A kind without its keys up to now would have none for long.
      let last = key == nil || numbers.isEmpty ? Int64(number(20)) : one(of: numbers.suffix(12))
      try transaction.forgetKeys(kind, key, upTo: last, at: time())
      if let key { try transaction.removeResetKey(kind, key, upTo: last) }
      _ = try transaction.removeResetKeys(kind, upTo: last, limit: 3)
    }
    _ = try transaction.expireKeys(at: time(), limit: 3)
  }

  private mutating func subscriber(_ transaction: LedgerTransaction) throws {
    let name = SubscriberName("s\(number(3))") ?? "s"
    let position = NotificationPosition(epoch: 1, seq: Int64(number(20)))
    let offset = chance(0.5) ? Int64(number(9)) : nil
    try transaction.keepPlace(SubscriberRecord(name: name, position: position, offset: offset, seenAt: time()))
    if chance(0.2) { _ = try transaction.forgetSubscriber(name) }
    if chance(0.2) { try transaction.removeSubscribers(seenBefore: time()) }
  }

  private mutating func void(_ transaction: LedgerTransaction) throws {
    let (number, job) = job()
    let void = VoidRecord(
      release: ReleaseID(job: job.id, number: self.number(2)), number: number, department: job.job.department,
      priority: job.job.priority, since: time(), kind: chance(0.5) ? nil : job.job.kind)
    try transaction.addVoid(void)
    for void in try transaction.voids() where chance(0.5) { try transaction.removeVoid(void.release) }
  }

  private mutating func withhold(_ transaction: LedgerTransaction) throws {
    _ = try transaction.withhold(job().number, chance(0.5) ? nil : .handler)
    let queue = JobQueue(department(), kind: kind())
    if chance(0.6) { try transaction.addKindQueue(queue) } else { try transaction.removeKindQueue(queue) }
    try transaction.giveOrder(in: department())
  }

  private mutating func worker(_ transaction: LedgerTransaction) throws {
    let worker = WorkerRecord(
      id: workerID(), name: "host", tellers: ["deposits": number(3)], session: number(9),
      kinds: chance(0.5) ? nil : [kind(), kind()], welcomedNumber: number(99))
    try transaction.welcome(worker)
    try transaction.setWanted(workerID(), ["loans": number(3)])
    if chance(0.3) { try transaction.giveUp(workerID(), at: time()) }
    if chance(0.2) { try transaction.forget(workerID()) }
  }

  private mutating func change(_ transaction: LedgerTransaction) throws {
    let (number, job) = job()
    try transaction.replaceReply(of: number, reply())
    try transaction.clearStartBy(number)
    let priority: Priority = one(of: [1, 4, 8])
    try transaction.rerank(
      number, priority: priority, standing: Standing(readyAt: time(), priority: priority),
      order: job.order?.key(number: number))
    let attempt = AttemptRecord(
      number: self.number(3), worker: workerID(), startedAt: nil, endedAt: time(), end: .failed,
      failure: JobFailure(code: "y", message: "z"))
    try transaction.record(attempt, of: number)
  }

  private mutating func operation(_ transaction: LedgerTransaction) throws {
    _ = try transaction.addOperation(
      .cancel, department: chance(0.5) ? nil : department(), kind: nil, total: number(9), at: time(),
      command: UUID(from: &random))
    for var operation in try transaction.openOperations(limit: 2) {
      operation.position += 1
      if chance(0.7) { operation.finishedAt = time() }
      try transaction.saveOperation(operation)
    }
    _ = try transaction.setPaused(department(), chance(0.5))
    try transaction.setMark(ScheduleMark(last: time(), identity: chance(0.5) ? "x" : nil), of: "schedule \(number(3))")
    if chance(0.2) { try transaction.forgetSchedule("schedule \(number(3))") }
  }

  private mutating func action(_ transaction: LedgerTransaction) throws {
    let action = OperatorAction(
      action: "count_cash", at: time(), by: OperatorName("ada"), user: "operator", department: department())
    let command = chance(0.5) ? UUID(from: &random) : nil
    _ = try transaction.addAction(action, command: command)
    if chance(0.5) { try transaction.addActions([action, action], command: command) }
    if chance(0.2) { try transaction.removeActions(before: time(), limit: number(3)) }
  }

  private mutating func retention(_ transaction: LedgerTransaction) throws {
    _ = try transaction.remove(endedBefore: time(), limit: number(6), now: .test(now))
    if chance(0.2) { _ = try transaction.remove(oldest: number(3)) }
  }

  private mutating func beginning(_ transaction: LedgerTransaction) throws {
    _ = try transaction.nextIncarnation()
    try transaction.touch()
    try transaction.saveClock(LedgerClock.Record(time: time(), lead: .milliseconds(number(99))))
    if chance(0.2) { _ = try transaction.beginEpoch(atLeast: number(3), at: time()) }
  }
}

extension UUID {
  init(from random: inout SeededRandom) {
    let halves = (random.next(), random.next())
    self = withUnsafeBytes(of: halves) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
