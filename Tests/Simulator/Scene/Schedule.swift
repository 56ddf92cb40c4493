import AuditSupport
import Decisions
package import Foundation
import JobModel
import JobTransport

/// What a schedule has come to.
package struct Verdict: Sendable {
  package let seed: UInt64
  package var violations: [String: [String]] = [:]
  package var events = 0
  package var jobs = 0
  package var sometimes: [Sometime: Int] = [:]
  package var digest: UInt64 = 0
  package var trace: [String] = []
  package var faults: [String] = []

  package var holds: Bool { violations.isEmpty }
}

/// One schedule, from its seed to its verdict: load and faults, then everything heals, and everything has to come to its end.
package struct Schedule {
  /// How long, in the schedule's own time, everything may take to come to its end once all is healed.
  static let progressLimit: Duration = .seconds(240)

  let seed: UInt64
  let world: World
  let setting: Setting
  let folder: URL

  package static func run(seed: UInt64, in folder: URL, isTraced: Bool = false) async throws -> Verdict {
    try await Schedule(seed: seed, in: folder, isTraced: isTraced).run()
  }

  private init(seed: UInt64, in folder: URL, isTraced: Bool) throws {
    self.seed = seed
    self.folder = folder
    let manners = Manner.allCases
    world = World(seed: seed, manner: manners[Int(seed % UInt64(manners.count))], isTraced: isTraced)
    setting = Setting(world)
    let file = try LedgerCopy(in: folder, number: 1)
    for name in ["coordinator", "standby"].prefix(setting.hasStandby ? 2 : 1) {
      let place = name == "standby" ? try LedgerCopy(in: folder, number: 2) : file
      world.coordinators.append(CoordinatorNode(name, world, setting.configuration, file: place))
    }
    for (number, worker) in setting.workers.enumerated() {
      world.workers.append(WorkerNode("worker\(number + 1)", world, worker))
    }
    world.clients = [ClientNode("client1", world), ClientNode("client2", world)]
  }

  private func run() async throws -> Verdict {
    for node in world.nodes where node.name != "standby" { node.begin() }
    plan()
    try await world.run(until: setting.length)
    try heal()
    let ended = try await settle()
    var verdict = try Audit(world: world, setting: setting, hasEnded: ended).verdict()
    if !verdict.holds { verdict.trace = world.trace.lines }
    for coordinator in world.coordinators where coordinator.isAlive { coordinator.end() }
    return verdict
  }

  /// When what is submitted, ordered and harmed.
  private func plan() {
    for _ in 0..<setting.submissions {
      world.after(time, nil, "a client submits") { [world] in
        if let client = world.some(of: world.clients) { Load(world: world, client: client).submit() }
      }
    }
    for _ in 0..<setting.commands {
      world.after(time, nil, "an operator acts") { [world] in
        if let client = world.some(of: world.clients) { Operators(world: world, client: client).act() }
      }
    }
    for _ in 0..<setting.faults {
      let fault = self.fault
      world.after(time, nil, "fault \(fault.rawValue)") { [world] in try world.suffer(fault) }
    }
    if setting.hasStandby, let standby = world.coordinators.last {
      world.after(.milliseconds(world.number(200...4_000)), nil, "a second coordinator starts") { standby.begin() }
    }
  }

  private var time: Duration { .milliseconds(world.number(0...Int(setting.length / .milliseconds(1)))) }

  private var fault: SimulatedFault {
    var draw = world.number(0...SimulatedFault.allCases.reduce(0) { $0 + $1.weight } - 1)
    for fault in SimulatedFault.allCases {
      draw -= fault.weight
      if draw < 0 { return fault }
    }
    return .killWorker
  }

  /// Everything is there again that somebody needs. What then happens is for the system alone.
  private func heal() throws {
    world.trace.say(world.now, "all", "heals")
    world.isBrokerUp = true
    world.broker.setAlarmed(false)
    world.readOn()
    for node in world.nodes {
      if node.frozenUntil > .zero { world.thaw(node) }
      if !node.isAlive, node.name != "standby" { node.begin() }
    }
    // A second coordinator with a ledger of its own goes.
    if setting.hasStandby, let standby = world.coordinators.last, standby.isAlive {
      standby.end()
      world.broker.claim = nil
    }
    for worker in world.workers { worker.setting.kinds = HandlerKinds.all }
    if !world.workers.contains(where: { $0.hasAllKinds }) {
      let worker = WorkerNode("worker9", world, world.workers[0].setting)
      world.workers.append(worker)
      worker.begin()
    }
    putRight()
  }

  /// An operator has every department served.
  private func putRight() {
    let operatorNode = world.clients[0]
    for department in Departments.plain + [Departments.ordered] {
      operatorNode.command(.resume(department))
      operatorNode.command(.resize(ResizeOrder(department: department, tellers: 2)))
    }
    operatorNode.command(.stopPlan(PlanStopOrder(plan: "daily", gates: .open)))
  }

  /// Goes on until nothing is under way any more.
  private func settle() async throws -> Bool {
    let end = world.now + Schedule.progressLimit
    // A command of before may be carried out only now.
    var next = world.now + .seconds(20)
    while world.now < end, world.failures.isEmpty {
      try await world.run(until: world.now + .seconds(2))
      if world.now > next {
        putRight()
        next = world.now + .seconds(40)
      }
      if try isQuiet() {
        // What is still on its way, such as notifications, arrives.
        try await world.run(until: world.now + .seconds(4))
        if try isQuiet() { return true }
      }
    }
    return false
  }

  private func isQuiet() throws -> Bool {
    guard world.clients.allSatisfy(\.isIdle), world.workers.allSatisfy({ $0.handlers.isEmpty }) else { return false }
    guard Audit.busyQueues(of: world).isEmpty else { return false }
    guard let file = world.coordinators.first?.file.url else { return false }
    return try LedgerReading(file).open() == 0
  }
}
