import AuditSupport
import Decisions
package import Foundation
import JobModel
import JobTransport
import Teller
import TestSupport

/// One schedule, from its seed to its verdict: load and faults, then everything heals, and everything has to come to its end.
package struct Schedule {
  /// How long, in the schedule's own time, everything may take to come to its end once all is healed.
  static let progressLimit: Duration = .seconds(240)
  /// The same where a job may wait for one that went with the ledger: it is given up after ten minutes.
  static let unknownLimit: Duration = .seconds(900)

  /// How many of a hundred schedules have an epilogue.
  private static let epilogues = 40
  /// How many of a hundred afterwords are about an earlier ledger.
  private static let rollbacks = 30

  /// The same of those in which jobs are removed at the very end.
  private static let afterwords = 15

  /// How much longer for each job that kills its workers: each waits for its turn.
  static let killerLimit: Duration = .seconds(60)

  /// What is done to the system at a moment, with random numbers of its own: so the rest stays as it is without it.
  struct Act {
    enum What {
      case submit, command, backUp, startStandby, forge
      case fault(SimulatedFault)
    }

    let time: Duration
    let what: What
    let seed: UInt64
  }

  let world: World
  let setting: Setting
  private let acts: [Act]

  /// Runs one schedule.
  ///
  /// - Parameters:
  ///   - seed: What decides everything.
  ///   - folder: An empty folder for its ledgers, best in memory.
  ///   - skipping: Which of its acts are left out.
  ///   - isTraced: Whether the verdict has everything that has happened.
  /// - Returns: What it has come to.
  /// - Throws: What the ledger's files are to blame for.
  package static func run(
    seed: UInt64, in folder: URL, skipping: Set<Int> = [], isTraced: Bool = false
  ) async throws -> Verdict {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let schedule = try Schedule(seed: seed, in: folder, skipping: skipping, isTraced: isTraced)
    var verdict = await schedule.run()
    let remains = Remains(of: schedule.world)
    schedule.world.end()
    if case let kept = remains.names, !kept.isEmpty {
      verdict.violations[Audit.atOnce, default: []].append("never freed: \(kept.joined(separator: ", "))")
    }
    return verdict
  }

  private init(seed: UInt64, in folder: URL, skipping: Set<Int>, isTraced: Bool) throws {
    let manners = Manner.allCases
    let world = World(seed: seed, manner: manners[Int(seed % UInt64(manners.count))], isTraced: isTraced)
    self.world = world
    world.record.steps = KnownSteps(optional: ["beside"], reentry: "broken", goingBack: ["third"])
    setting = Setting(world)
    world.usual = setting.configuration
    acts = setting.acts(world).enumerated().filter { !skipping.contains($0.offset) }.map(\.element)
    world.coordinators = [
      CoordinatorNode("coordinator", world, setting.configuration, file: try LedgerCopy(in: folder, number: 1))
    ]
    if setting.hasSecondLedger { world.coordinators[0].second = SecondLedger(of: world.coordinators[0]) }
    if setting.hasStandby {
      world.coordinators.append(
        CoordinatorNode("standby", world, setting.configuration, file: try LedgerCopy(in: folder, number: 2)))
    }
    for (number, worker) in setting.workers.enumerated() {
      world.workers.append(WorkerNode("worker\(number + 1)", world, worker))
    }
    if world.hasUsers { world.stranger = Stranger("stranger", world) }
    world.clients = [ClientNode("client1", world), ClientNode("client2", world)]
  }

  private func run() async -> Verdict {
    var verdict: Verdict
    do {
      verdict = try await judge(hasEnded: try await play())
      if verdict.violations.isEmpty { try await playAfterword(&verdict) }
    } catch {
      verdict = Verdict(seed: world.seed)
      verdict.violations = [Audit.atOnce: ["\(error)"]]
    }
    verdict.acts = acts.count
    (verdict.events, verdict.digest, verdict.trace) = (world.events, world.trace.digest, world.trace.lines)
    return verdict
  }

  /// - Returns: Whether everything has come to its end.
  private func play() async throws -> Bool {
    for node in world.nodes where node.name != "standby" { node.begin() }
    world.allow(setting.configuration)
    for time in setting.looks(world) {
      world.after(time, nil, "an operator looks") { [world] in try await Looks(world.coordinators[0]).look() }
    }
    for act in acts {
      world.after(act.time, nil, "\(act.what)") { [world] in try world.with(act.seed) { try world.perform(act.what) } }
    }
    try await world.run(until: setting.length)
    try heal()
    guard try await settle() else { return false }
    guard !world.isUncommon, world.chance(Schedule.epilogues) else { return true }
    try await Epilogue(world).play()
    return try await world.failures.isEmpty ? settle() : true
  }

  private func judge(hasEnded: Bool) async throws -> Verdict {
    if hasEnded { try await Looks(world.coordinators[0]).look() }
    var verdict = try Audit(world: world, setting: setting, hasEnded: hasEnded).verdict()
    if !hasEnded, world.failures.isEmpty, let explained = try await world.coordinators[0].explainOpen() {
      verdict.violations[Audit.progress, default: []].append(explained)
    }
    return verdict
  }

  /// What no rule could look at the schedule after.
  private func playAfterword(_ verdict: inout Verdict) async throws {
    guard !world.isUncommon, world.chance(Schedule.afterwords) else { return }
    let goesBack = world.chance(Schedule.rollbacks)
    try await Epilogue(world).putRight()
    if !world.failures.isEmpty {
      // Said below.
    } else if goesBack {
      try await Epilogue(world).goesBack()
      if world.failures.isEmpty, try await !settle() {
        verdict.violations[Audit.progress] = ["after the ledger was rolled back: \(try await explained)"]
      }
    } else {
      try await Afterword(world).play()
    }
    if !world.failures.isEmpty { verdict.violations[Audit.atOnce] = world.failures }
  }

  private var explained: String {
    get async throws { try await world.coordinators[0].explainOpen() ?? "nothing is open in the ledger" }
  }

  /// Everything is there again that somebody needs. What then happens is for the system alone.
  private func heal() throws {
    world.trace.say(world.now, "all", "heals")
    world.isHealed = true
    world.isBrokerUp = true
    world.broker.setAlarmed(false)
    for queue in world.broker.queues.keys { world.broker.limit(queue, by: nil) }
    for coordinator in world.coordinators { try coordinator.file.makeRoom() }
    world.readOn()
    for node in world.nodes {
      if node.frozenUntil > .zero { world.thaw(node) }
      if !node.isAlive, node.name != "standby" { node.begin() }
    }
    // A second coordinator with a ledger of its own goes.
    if setting.hasStandby, let standby = world.coordinators.last {
      standby.end()
      world.broker.claim = nil
    }
    let areReplaced = world.chance(50)
    for worker in world.workers {
      (worker.setting.kinds, worker.setting.namesKinds) = (HandlerKinds.all, true)
      // Another version, which knows every kind, takes the place of each that does not.
      if areReplaced, worker.isAlive, !worker.hasAllKinds { worker.take(.drain) }
    }
    if !world.workers.contains(where: { $0.hasAllKinds }) {
      let worker = WorkerNode("worker9", world, world.workers[0].setting)
      world.workers.append(worker)
      worker.begin()
    }
    putRight()
    try world.reload(setting.configuration)
    world.healedAt = world.now
    Load(world: world, client: world.clients[0]).plainJob(in: Departments.work)
  }

  /// An operator has every department served, and nothing waits for a plan.
  private func putRight() {
    let client = world.clients[0]
    world.serveAll()
    world.openGates()
    client.command(.cancel(JobSelection(kind: "quik")))
    if world.isUncommon { client.command(.acceptRestored(JobSelection())) }
  }

  /// How often it is looked whether all is quiet, and how long it has to stay so: what is on its way arrives meanwhile.
  private static let look: Duration = .seconds(2)
  private static let quiet: Duration = .seconds(4)

  /// Goes on until nothing is under way any more.
  ///
  /// - Returns: False: it did not come to that in time.
  private func settle() async throws -> Bool {
    let end =
      world.now + (world.isUncommon ? Schedule.unknownLimit : Schedule.progressLimit) + Schedule.killerLimit
      * world.killers
    // A command of before may be carried out only now: what it has done is put right once. An earlier ledger may know more.
    var isPutRight = false
    var next = world.now + .seconds(20)
    while world.now < end, world.failures.isEmpty {
      try await world.run(until: world.now + Schedule.look)
      if world.now > next, world.isUncommon || !isPutRight && !hasEarlierCommands {
        putRight()
        isPutRight = true
        next = world.now + .seconds(40)
      }
      guard try isQuiet() else { continue }
      let jobs = try ledgerJobs
      try await world.run(until: world.now + Schedule.quiet)
      // What a schedule of the configuration has made meanwhile has its time, too.
      if try isQuiet(), try ledgerJobs == jobs { return true }
    }
    return false
  }

  /// Whether a command of before has no answer yet.
  private var hasEarlierCommands: Bool {
    let healed = Moment(nanoseconds: Int64((world.healedAt ?? .zero) / .nanoseconds(1)))
    return world.clients.contains { $0.commands.values.contains { $0.since < healed } }
  }

  private var ledgerJobs: Int {
    get throws { try world.coordinators[0].file.reading.accepted().count }
  }

  private func isQuiet() throws -> Bool {
    guard world.clients.allSatisfy({ $0.isIdle && !$0.isCutOff }) else { return false }
    guard world.workers.allSatisfy({ $0.handlers.isEmpty }) else { return false }
    guard Audit.busyQueues(of: world).isEmpty else { return false }
    // An earlier ledger does not know whom an operator has told to drain.
    if !world.isUncommon, !world.drainingWorkers.isEmpty { return false }
    let reading = try world.coordinators[0].file.reading
    return try reading.open() == 0 && reading.tallies().allSatisfy { $0.value.void == 0 }
  }
}

extension World {
  /// An operator has every department served.
  func serveAll() {
    for department in Departments.all {
      clients[0].command(.resume(department))
      clients[0].command(.resize(ResizeOrder(department: department, tellers: 2)))
    }
  }

  /// An operator stops every plan, and nothing waits for one.
  func openGates() {
    for plan in ["daily", Opening.name] { clients[0].command(.stopPlan(PlanStopOrder(plan: plan, gates: .open))) }
  }

  /// Does something with random numbers of its own.
  func with(_ seed: UInt64, _ body: () throws -> Void) rethrows {
    let own = random
    random = SeededRandom(seed: seed)
    defer { random = own }
    try body()
  }

  func perform(_ what: Schedule.Act.What) throws {
    switch what {
    case .submit: if let client = some(of: clients) { Load(world: self, client: client).submit() }
    case .command: if let client = some(of: clients) { Operators(world: self, client: client).act() }
    case .fault(let fault): try suffer(fault)
    case .backUp: try coordinators[0].file.backUp()
    case .forge: if chance(15) { stranger?.submitNonsense() } else { stranger?.forge() }
    case .startStandby: coordinators[1].begin()
    }
  }
}
