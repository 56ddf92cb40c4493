import Decisions
import JobModel
import JobTransport
import Ledger
import Metrics
import TestSupport
import Testing

@testable import Bookkeeping

/// A bookkeeper to whom everything happens that can happen, in any order.
struct RandomBooks {
  var books: Books
  var random: SeededRandom
  /// Every id that was ever named.
  var ids: [JobID] = []
  /// Every release that was ever told.
  var assignments: [Assignment] = []
  var fences: [Int] = []
  var workers: [WorkerID] = [WorkerID("one"), WorkerID("two")]
  /// What they have handlers for; nothing: they do not say.
  var kinds: [WorkerID: Set<JobKind>] = [:]
  /// Queues that the broker has been told to remove.
  var closing: [JobQueue] = []
  var lastProbe = 0
  var claims = 0
  /// Monotonic.
  var now: Duration = .zero
  /// Which of the events there were that no test does without.
  var happened: Set<Event> = []

  /// What shows that the steps did what they are there for.
  enum Event: CaseIterable {
    case releasedAgain, madeVoid, forgotten, granted, moved, releasedBeside, queueGone, returned, heldForHandler
  }

  init(
    seed: UInt64, in folder: TemporaryFolder? = nil, shipping: Shipping? = nil, watching: Watching? = nil,
    metrics: any MetricsFactory = NOOPMetricsHandler.instance
  ) async throws {
    books = try await Books(
      in: folder, window: 4, retention: .everything, shipping: shipping, watching: watching, metrics: metrics)
    random = SeededRandom(seed: seed)
  }

  typealias Step = @Sendable (inout RandomBooks) async throws -> Void

  /// What may happen, by name; those named twice happen more often.
  static let steps: [(name: String, run: Step)] = [
    ("submit", { try await $0.submit() }), ("submit", { try await $0.submit() }),
    ("submit", { try await $0.submit() }), ("plan", { try await $0.submitPlan() }),
    ("report", { try await $0.report() }), ("report", { try await $0.report() }),
    ("report", { try await $0.report() }), ("claim", { try await $0.claim() }),
    ("fence", { try await $0.returnFence() }), ("fence", { try await $0.returnFence() }),
    ("present", { try await $0.present() }), ("agree", { try await $0.agree() }),
    ("agree", { try await $0.agree() }), ("drop", { try await $0.drop() }),
    ("adopt", { try await $0.adopt() }), ("cancel", { try await $0.cancel() }),
    ("rerank", { try await $0.rerank() }), ("pause", { try await $0.pause() }),
    ("settle", { try await $0.settleFailed() }), ("operation", { try await $0.operate() }),
    ("chores", { _ = try await $0.books.bookkeeper.doChores() }),
    ("chores", { _ = try await $0.books.bookkeeper.doChores() }),
    ("clock", { try await $0.lookAtClock() }), ("age", { try await $0.age() }),
    ("lost", { try await $0.lookForLost() }), ("lease", { try await $0.passLease() }),
    ("retention", { try await $0.retain() }), ("confirm", { await $0.confirm() }),
    ("key", { try await $0.freeKey() }), ("restart", { try await $0.restart() }),
    ("session", { try await $0.reconnect() }), ("deploy", { try await $0.deploy() }),
    ("share", { try await $0.share() }), ("return", { try await $0.giveBack() }),
    ("configure", { try await $0.configure() }),
  ]

  /// Does something; what it was.
  mutating func step() async throws -> String {
    let step = Self.steps[Int.random(in: 0..<Self.steps.count, using: &random)]
    try await step.run(&self)
    try await listen()
    return step.name
  }

  mutating func listen() async throws {
    let told = try await books.told()
    assignments += told.assignments
    fences += told.fences
    lastProbe = max(lastProbe, told.probes.max() ?? 0)
    closing += told.queuesToRemove
    note(told)
  }

  private mutating func note(_ told: [Outgoing]) {
    if told.assignments.contains(where: { $0.release.number > 1 }) { happened.insert(.releasedAgain) }
    if !told.void.isEmpty { happened.insert(.madeVoid) }
    if !told.forgotten.isEmpty { happened.insert(.forgotten) }
    if told.verdicts.contains(where: { if case .run = $0 { true } else { false } }) { happened.insert(.granted) }
    if !told.reranked.isEmpty { happened.insert(.moved) }
    if told.assignments.contains(where: \.isBeside) { happened.insert(.releasedBeside) }
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  mutating func some<T>(of values: [T]) -> T? { values.randomElement(using: &random) }

  /// A release that is likely to be a recent one.
  mutating func someAssignment() -> Assignment? {
    chance(80) ? some(of: assignments.suffix(12)) : some(of: assignments)
  }

  mutating func newID() -> JobID {
    let id = JobID(version7: .now(), using: &random)
    ids.append(id)
    return id
  }
}

// MARK: - Steps

extension RandomBooks {
  mutating func submit() async throws {
    var submissions: [Submission] = []
    for _ in 0..<number(1...4) { submissions.append(submission()) }
    let incoming = submissions.map { Incoming(.job($0)) }
    _ = try await books.bookkeeper.accept(incoming)
  }

  private mutating func submission() -> Submission {
    let kind = some(of: ["deposit", "loan", "step", "vault"] as [JobKind]) ?? "deposit"
    let id = chance(10) ? some(of: ids) ?? newID() : newID()
    var submission = Submission(id: id, kind: kind)
    submission.priority = Priority(number(0...9)) ?? .normal
    if kind == "step", chance(50) { submission.rank = number(1...5) }
    if chance(20) { submission.runAt = .within(.milliseconds(number(1...3_600_000))) }
    if chance(15) { submission.startBy = .within(.milliseconds(number(0...3_600_000))) }
    // In an ordered department one that waits for a job behind it would wait for ever.
    if kind != "step", chance(25) { submission.after = dependencies(besides: id) }
    if chance(20) { submission.key = SubmissionKey(text: "key \(number(0...3))", window: .seconds(number(1...100))) }
    if chance(30) { submission.reply = chance(50) ? .test : .other }
    return submission
  }

  private mutating func dependencies(besides id: JobID) -> Dependencies? {
    var jobs: Set<JobID> = []
    for _ in 0..<number(1...3) { jobs.insert(chance(20) ? newID() : some(of: ids) ?? newID()) }
    jobs.remove(id)
    return jobs.isEmpty ? nil : Dependencies(jobs: Array(jobs), rule: chance(50) ? .fail : .cancel)
  }

  mutating func submitPlan() async throws {
    let id = newID()
    let steps = (0..<number(1...3)).map { PlanStep(name: "step\($0)", kind: "step", rank: $0 + 1) }
    ids += steps.map { JobID(plan: id, step: $0.name) }
    let plan = PlanSubmission(id: id, department: "init", steps: steps, reply: .test)
    _ = try await books.bookkeeper.accept([Incoming(.plan(plan))])
  }

  mutating func report() async throws {
    for _ in 0..<number(1...3) {
      guard var assignment = someAssignment() else { return }
      if chance(30), let live = await books.bookkeeper.released[assignment.job] {
        assignment.release = live.release
        assignment.token = live.progress.token
      }
      let result = some(of: [AttemptResult.done, .done, .broken, .hopeless, .snoozed, .discarded]) ?? .done
      try await books.record(books.report(assignment, result))
    }
  }

  mutating func claim() async throws {
    let live =
      Array(await books.bookkeeper.released.values.map(\.release)) + Array(await books.bookkeeper.voidPlaces.keys)
    guard let worker = some(of: workers), let release = chance(60) ? some(of: live) : someAssignment()?.release else {
      return
    }
    claims += 1
    try await books.claim(release, by: worker, number: claims)
  }

  /// Every worker has read the last probe, and runs nothing.
  mutating func agree() async throws {
    for worker in workers {
      try await books.present(worker, tellers: Self.tellers, kinds: kinds[worker], probe: lastProbe, at: now)
    }
    try await listen()
    try await returnFence()
  }

  static let kinds: Set<JobKind> = ["deposit", "loan", "step", "vault"]
  private static let tellers = ["work": 2, "init": 1, "capped": 2]

  mutating func returnFence() async throws {
    let returned = fences
    fences = []
    for number in returned { try await books.record(.fence(number: number, ledger: books.ledger.id)) }
  }

  mutating func present() async throws {
    guard let worker = some(of: workers) else { return }
    let running = chance(20) ? someAssignment().map { [RunningRelease(release: $0.release, token: $0.token)] } : nil
    try await books.present(
      worker, tellers: Self.tellers, kinds: kinds[worker], probe: chance(80) ? lastProbe : 0, running: running ?? [],
      isDraining: chance(5), isGoodbye: chance(5), at: now)
  }

  /// A worker is replaced by one with other handlers, or with the same.
  mutating func deploy() async throws {
    guard let worker = some(of: workers) else { return }
    kinds[worker] = chance(10) ? nil : chance(50) ? Self.kinds : Self.kinds.filter { _ in chance(60) }
    try await present()
  }

  /// Tellers are shared out, and what was told to be removed is.
  mutating func share() async throws {
    now += .seconds(chance(30) ? 11 : 1)
    try await books.bookkeeper.shareTellers(at: now)
    try await listen()
    for queue in closing {
      happened.insert(.queueGone)
      try await books.bookkeeper.kindQueueIsGone(queue)
    }
    closing = []
    for desk in await books.bookkeeper.books.values where desk.unserved > 0 { happened.insert(.heldForHandler) }
  }

  mutating func giveBack() async throws {
    guard let assignment = someAssignment(), let worker = some(of: workers) else { return }
    happened.insert(.returned)
    try await books.giveBack(assignment.release, by: worker)
  }

  mutating func drop() async throws {
    let void = Array(await books.bookkeeper.voidPlaces.keys)
    guard let release = chance(90) ? some(of: void) : someAssignment()?.release else { return }
    try await books.drop(release)
  }

  mutating func adopt() async throws {
    guard let assignment = someAssignment(), let worker = some(of: workers) else { return }
    try await books.adopt(assignment, by: worker)
  }

  mutating func cancel() async throws {
    guard let id = some(of: ids) else { return }
    _ = try await books.cancel(id)
  }

  mutating func rerank() async throws {
    guard let id = some(of: ids), let job = try await books.job(id) else { return }
    let order =
      job.department == "init"
      ? RerankOrder(job: id, rank: number(1...9)) : RerankOrder(job: id, priority: Priority(number(0...9)))
    _ = try await books.bookkeeper.rerank(order, .test)
  }

  mutating func pause() async throws {
    guard let department = some(of: ["work", "init", "capped"] as [Department]) else { return }
    _ = try await books.bookkeeper.setPaused(department, chance(40))
  }

  /// A department changes, goes away, or is back. `init` is an ordered one whenever it is there.
  mutating func configure() async throws {
    let department = some(of: ["work", "init", "capped"] as [Department]) ?? "work"
    let (limit, isGone) = (number(1...6), chance(30))
    try await books.takeOver { configuration in
      configuration.departments[department] =
        isGone
        ? nil : department == "init" ? .init(isOrdered: true) : limit > 3 ? .init(window: limit) : .init(cap: limit)
    }
  }

  /// All departments are there.
  func configureAll() async throws {
    try await books.takeOver {
      $0.departments = ["work": .init(window: 4), "init": .init(isOrdered: true), "capped": .init(cap: 2)]
    }
  }

  mutating func settleFailed() async throws {
    guard let id = some(of: ids) else { return }
    _ = chance(70) ? try await books.bookkeeper.replay([id]) : try await books.bookkeeper.drop([id])
    ids.append(JobID(replayOf: id))
  }

  mutating func operate() async throws {
    guard chance(30) else { return }
    let selection = JobSelection(
      department: chance(50) ? "work" : nil, kind: chance(30) ? some(of: ["deposit", "loan"] as [JobKind]) : nil)
    let action = some(of: [OperationRecord.Action.cancel, .replay, .drop, .reset]) ?? .cancel
    _ = try await books.bookkeeper.begin(action, action == .reset ? JobSelection() : selection)
  }

  mutating func lookAtClock() async throws {
    try await books.bookkeeper.lookAtClock(.now() + .milliseconds(number(0...1_800_000)))
    if chance(10) {
      await books.bookkeeper.goOn(through: 0...1_200, after: .now())
      try await books.bookkeeper.endUnknownDependencies()
    }
  }

  mutating func age() async throws { try await books.bookkeeper.ageReleases(at: .now() + .seconds(number(0...7_200))) }

  mutating func lookForLost() async throws {
    try await books.bookkeeper.lookForLost(
      in: chance(50) ? [JobQueue("work"), JobQueue("capped")] : [JobQueue("init")], olderThan: .zero)
  }

  mutating func passLease() async throws {
    now += .seconds(chance(20) ? 20 : 1)
    try await books.bookkeeper.tick(at: now, isBlocked: false)
  }

  mutating func retain() async throws {
    try await books.sendNotifications()
    await books.bookkeeper.beginRetention()
  }

  mutating func confirm() async { await books.bookkeeper.confirmed(assignments.suffix(20).map(\.release)) }

  mutating func freeKey() async throws {
    for kind in ["deposit", "loan"] as [JobKind] {
      _ = try await books.bookkeeper.freeKey(kind, "key \(number(0...3))")
    }
  }

  mutating func restart() async throws {
    guard chance(30) else { return }
    (fences, closing) = ([], [])
    books = try await books.succeeded()
    try await books.bookkeeper.tick(at: now, isBlocked: false)
  }

  mutating func reconnect() async throws {
    guard chance(30) else { return }
    (fences, closing) = ([], [])
    try await books.beginSession(at: now)
  }
}
