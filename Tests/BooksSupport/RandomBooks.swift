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
  /// The ids of all events that were sent.
  var events: Set<JobID> = []
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
    ("configure", { try await $0.configure() }), ("begin plan", { try await $0.beginPlan() }),
    ("event", { try await $0.sendEvent() }), ("event", { try await $0.sendEvent() }),
    ("choose", { try await $0.choose() }), ("stop plan", { if $0.chance(20) { try await $0.stopPlan() } }),
  ]

  /// Does something; what it was.
  mutating func step() async throws -> String {
    let step = Self.steps[Int.random(in: 0..<Self.steps.count, using: &random)]
    books.clock.pass(.milliseconds(1))
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
    let id = JobID(version7: books.now, using: &random)
    ids.append(id)
    return id
  }
}
