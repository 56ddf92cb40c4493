import AMQP
import AuditSupport
import Decisions
import JobTransport
import Foundation
import JobModel
import Ledger
import Synchronization
import TestSupport

/// One schedule: a broker, and processes that send it messages, in one thread and in a time of their own. Everything that is
/// left to chance is drawn from one seed, so that the same seed is the same schedule.
final class World {
  let seed: UInt64
  var random: SeededRandom
  /// Since the beginning.
  var now: Duration = .zero
  let time = VirtualTime()
  var broker: ModelBroker
  var isBrokerUp = true
  private var agenda = Agenda<Happening>()
  var lines: [Int: Line] = [:]
  var lastLine = 0
  var nodes: [Node] = []
  var trace: Trace
  var sometimes = Sometimes()
  var record = Record()
  var runs: [Run] = []
  var cutOffs: [CutOff] = []
  var wipes: [Wipe] = []
  var allowances: [Allowance] = []
  /// How many things have happened.
  var events = 0
  /// What went wrong at once.
  var failures: [String] = []
  var faults: [SimulatedFault] = []
  var coordinators: [CoordinatorNode] = []
  var workers: [WorkerNode] = []
  var clients: [ClientNode] = []
  var stranger: Stranger?
  var isRolledBack = false
  /// When the ledger was rolled back.
  var restoredAt: Duration?
  private var places = StreamPlaces()
  /// The load is over, and everything is there that is needed.
  var isHealed = false
  var healedAt: Duration?
  /// How long it took from then to the first success.
  var recovery: Duration?
  /// Another coordinator, with a ledger of its own, has served meanwhile.
  var otherLedgerServed: Bool { coordinators.count > 1 && coordinators[1].hasServed }
  /// There was a ledger that lacks something which was promised.
  var isUncommon: Bool { isRolledBack || otherLedgerServed }
  var lastPID: Int32 = 0
  var lastRun = 0
  var lastKey = 0
  /// The configuration of the schedule, which every coordinator has in the end.
  var usual = CoordinatorConfiguration()
  /// Which optional events any configuration so far has recorded, and which changes any has relayed.
  var notified: Set<NotifySettings> = []
  var followed: Set<LiveEvent> = []
  /// A configuration has had a schedule. Its jobs may wait for their minute even where it is gone: where the clock is
  /// set far back, nobody could wait for that.
  var hasHadSchedules = false
  /// The configurations of the first coordinator.
  var inForce = InForce()
  /// Webhooks deliver what becomes of long jobs.
  var hasWebhooks = false
  /// How many jobs kill their workers.
  var killers = 0
  /// What follows when such a job begins for the second time.
  var atSecondRun: [JobID: () -> Void] = [:]
  /// An operator has left a department without tellers.
  var wasUnserved = false
  /// How many of a thousand messages more than usual are long under way.
  var slowness = 0
  /// Messages name their users, and the coordinator asks who may do what.
  var hasUsers = false
  /// Releases that were told, the last ones; and the last probe.
  var released: [Assignment] = []
  var lastProbe = 0
  /// How often workers have given each job back: far less often than so many times.
  var returned: [JobID: Int] = [:]
  static let mostReturns = 40
  /// What handlers have said of how far they have come, each with its job.
  var saidProgress: Set<String> = []
  /// The workers that an operator has told to drain.
  var drained: Set<String> = []
  /// How often each errand of the load comes in this schedule, beside its usual share: many not at all.
  var swarm: [Int] = []
  /// The same for what operators do.
  var operatorSwarm: [Int] = []
  /// How many jobs each department may have released at most, and how many a kind may have in its part of a window.
  var mostReleased: [Department: Int] = [:]
  var mostBeside: [String: Int] = [:]
  /// The kinds of which an operator has cancelled all jobs.
  var cancelledKinds: Set<JobKind> = []
  /// The faults that wait for their moment.
  var aims: [Aim] = []
  var slowSorts = SlowSorts.none
  /// Which processes have claimed each job, as often as they did.
  var claims: [JobID: [Int32]] = [:]

  /// One thing that is to happen to a process, or to the broker (nil).
  struct Happening {
    let node: Node?
    let life: Int
    let what: String
    let body: () async throws -> Void
  }

  init(seed: UInt64, manner: Manner, isTraced: Bool) {
    self.seed = seed
    random = SeededRandom(seed: seed)
    broker = ModelBroker(manner, seed: seed &+ 1)
    trace = Trace(isKept: isTraced)
  }

  var moment: Moment { Moment(nanoseconds: Int64(now / .nanoseconds(1))) }
  /// The wall clock of people, which nobody sets.
  var wall: Timestamp { World.start + now }
  /// When each schedule begins, by the wall clock: some seconds before a minute, at which schedules fire.
  static let start = Timestamp(milliseconds: 1_700_000_092_000)

  /// Somebody who follows the stream has seen these.
  func see(_ batch: NotificationBatch) {
    // A broker without its disk does not know how far a ledger was.
    if restoredAt != nil, faults.contains(.wipeBroker) { return }
    if let wrong = places.note(batch, at: now, restored: restoredAt) { failures.append(wrong) }
  }

  var fraction: Double { .random(in: 0...1, using: &random) }
  func newID() -> JobID { JobID(version7: wall, using: &random) }

  func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
  func some<T>(of values: [T]) -> T? { values.randomElement(using: &random) }
  func span(_ range: ClosedRange<Int>) -> Duration { .microseconds(number(range)) }

  /// Has something happen to a process after a while, unless it is dead by then; while it is frozen, it waits.
  func after(_ delay: Duration, _ node: Node?, _ what: String, _ body: @escaping () async throws -> Void) {
    agenda.add(Happening(node: node, life: node?.life ?? 0, what: what, body: body), at: now + delay)
  }

  /// A process stands still until then. What comes meanwhile waits, in its order.
  func freeze(_ node: Node, until end: Duration) {
    node.frozenUntil = max(node.frozenUntil, end)
    after(end - now, nil, "thaws \(node.name)") { [self] in if node.frozenUntil <= now { thaw(node) } }
  }

  func thaw(_ node: Node) {
    node.frozenUntil = .zero
    let waiting = node.waiting
    node.waiting = []
    for item in waiting { agenda.add(item, at: now) }
  }

  /// Somebody hears of a success: the first one after everything has healed shows that all goes on.
  func noteSuccess() {
    if recovery == nil, let healedAt { recovery = now - healedAt }
  }

  /// Nothing happens any more, and nobody has a file open. What was to happen would keep everything in memory.
  func end() {
    for coordinator in coordinators {
      if coordinator.isAlive { coordinator.end() }
      coordinator.onDeclared = nil
      coordinator.second?.close()
      coordinator.file.close()
    }
    for worker in workers { worker.handlers = [:] }
    for client in clients { client.onAccepted = [:] }
    for node in nodes { node.waiting = [] }
    (agenda, lines, atSecondRun) = (Agenda(), [:], [:])
    (nodes, coordinators, workers, clients, stranger) = ([], [], [], [], nil)
  }

  /// Goes on until that time, or until nothing is left to happen.
  func run(until end: Duration) async throws {
    while let next = agenda.nextTime, next <= end, let (time, item) = agenda.takeFirst() {
      now = max(now, time)
      self.time.now = now
      if let node = item.node {
        if node.life != item.life { continue }
        if node.frozenUntil > now {
          node.waiting.append(item)
          continue
        }
      }
      events += 1
      trace.note(now, item.node?.name ?? "broker", item.what)
      do {
        try await item.body()
      } catch let error as LedgerError {
        guard let node = item.node as? CoordinatorNode, try node.hasFailed(error) else { throw error }
      }
      if !failures.isEmpty { return }
    }
    now = max(now, end)
    time.now = now
  }
}

/// The processes of a schedule, to be looked for when it has ended: in a night they would fill the memory.
struct Remains {
  private struct Weak { weak var node: Node? }
  private let nodes: [Weak]

  init(of world: World) { nodes = world.nodes.map { Weak(node: $0) } }

  /// The processes that something still holds.
  var names: [String] { nodes.compactMap { $0.node?.name } }
}

/// The time of a schedule, for clocks that are read anywhere.
final class VirtualTime: Sendable {
  private let present = Mutex<Duration>(.zero)
  var now: Duration {
    get { present.withLock { $0 } }
    set { present.withLock { $0 = newValue } }
  }
}
