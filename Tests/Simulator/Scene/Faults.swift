import AMQP
import AuditSupport
import Decisions
import JobModel
import JobTransport
import Teller

/// What goes wrong in a schedule.
enum SimulatedFault: String, CaseIterable, Sendable {
  case killWorker, freezeWorker, stallWorker, cutWorker, killCoordinator, freezeCoordinator, cutCoordinator, cutClient
  case killBroker, wipeBroker, purge, alarm, deleteQueue, stepClock, lastWorkersGone, reload, drainWorker, closeLine
  case rollBack, releaseClaim, loseMachine, fillDisk, limitQueue

  /// How often it is drawn, beside the others.
  var weight: Int {
    switch self {
    case .killWorker, .killCoordinator, .cutWorker: 10
    case .freezeWorker, .stallWorker, .killBroker, .cutCoordinator, .closeLine, .freezeCoordinator: 7
    case .cutClient, .stepClock, .reload, .drainWorker, .alarm: 4
    case .purge, .deleteQueue, .lastWorkersGone, .fillDisk, .limitQueue: 3
    case .wipeBroker: 2
    case .releaseClaim: 1
    case .rollBack, .loseMachine: 0
    }
  }
}

extension SimulatedFault {
  /// One of them, by how often each comes.
  static func some(_ world: World) -> SimulatedFault {
    var draw = world.number(0...allCases.reduce(0) { $0 + $1.weight } - 1)
    for fault in allCases {
      draw -= fault.weight
      if draw < 0 { return fault }
    }
    return .killWorker
  }
}

extension World {
  func suffer(_ fault: SimulatedFault) throws {
    trace.say(now, "fault", fault.rawValue)
    sometimes.note(.wiped, if: fault == .wipeBroker)
    sometimes.note(.purged, if: fault == .purge || fault == .deleteQueue)
    sometimes.note(.clockStepped, if: fault == .stepClock)
    faults.append(fault)
    switch fault {
    case .killWorker: if let worker = someWorker { kill(worker) }
    case .freezeWorker: if let worker = someWorker { freeze(worker) }
    case .stallWorker: if let worker = someWorker { stall(worker) }
    case .cutWorker: if let worker = someWorker { cutLines(of: worker) }
    case .drainWorker: if let worker = someWorker { drain(worker) }
    case .killCoordinator: if let coordinator = someCoordinator { killCoordinator(coordinator) }
    case .freezeCoordinator: if let coordinator = someCoordinator { freezeNowOrSoon(coordinator) }
    case .cutCoordinator: if let coordinator = someCoordinator { cutLines(of: coordinator) }
    case .cutClient: if let client = some(of: clients) { cutLines(of: client) }
    case .closeLine: try closeLine()
    case .killBroker: crashBroker()
    case .wipeBroker: wipeBroker()
    case .purge: purge()
    case .limitQueue: limitQueue()
    case .deleteQueue: deleteQueue()
    case .alarm: alarm()
    case .stepClock:
      // What a schedule has made waits for its moment, also where the clock is set back.
      let far = hasHadSchedules ? 60 : 3_000
      let step = Duration.seconds(number(-far...far))
      for coordinator in coordinators { coordinator.clock.set(by: step) }
      for client in clients { client.clockAhead += .seconds(number(-3_000...3_000)) }
    case .lastWorkersGone: for worker in workers where worker.isAlive { kill(worker) }
    case .reload: try reload()
    case .rollBack: try rollBack()
    case .loseMachine:
      if chance(60), let second = coordinators[0].second { second.isDoomed = true } else { try loseMachine() }
    case .releaseClaim: broker.claim = nil
    case .fillDisk: try fillDisk()
    }
  }

  var someWorker: WorkerNode? { some(of: workers.filter(\.isAlive)) }
  /// Its supervisor may not wait for the end of the drain.
  private func drain(_ worker: WorkerNode) {
    worker.take(.drain)
    if chance(40) { worker.after(.milliseconds(number(10...2_000)), "is killed") { [self] in kill(worker) } }
  }

  var someCoordinator: CoordinatorNode? { some(of: coordinators.filter(\.isAlive)) }

  func kill(_ worker: WorkerNode) {
    sometimes.note(.killedInDrain, if: worker.isAlive && worker.state.isDraining)
    worker.end()
    superviseSoon(worker)
  }

  /// At once, or between what it records next and the ack of that.
  private func killCoordinator(_ coordinator: CoordinatorNode) {
    if chance(40) { return coordinator.diesBeforeAck = true }
    coordinator.end()
    superviseSoon(coordinator)
  }

  /// Whoever supervises a process starts it again.
  func superviseSoon(_ node: Node) {
    after(.milliseconds(number(50...4_000)), nil, "starts \(node.name)") { [self] in
      if !node.isAlive, !isHealed || node.name != "standby" { node.begin() }
    }
  }

  /// At once, or between the arrival of a message and the look at it.
  private func freezeNowOrSoon(_ coordinator: CoordinatorNode) {
    if chance(40) { return coordinator.freezesBeforeHearing = true }
    freeze(coordinator)
  }

  /// The process stands still. Its connections stay, unless it stands still for longer than the broker waits.
  func freeze(_ node: Node) {
    let span = Duration.milliseconds(chance(50) ? number(500...4_000) : number(4_000...20_000))
    freeze(node, until: now + span)
    if let worker = node as? WorkerNode {
      cutOffs.append(
        CutOff(pid: worker.pid, from: moment, until: Moment(nanoseconds: Int64((now + span) / .nanoseconds(1)))))
    }
    guard span > .seconds(10) else { return }
    let lines = lines(of: node)
    after(.seconds(10), nil, "hears nothing of \(node.name)") { [self] in
      for line in lines {
        broker.end(line.id, at: now)
        broker.say(.closed(.connectionLost(reason: "no heartbeat")), line.id)
      }
      takeOutput()
    }
  }

  /// The network holds up what a worker sends and gets, for less than it takes a connection to be given up. The worker works
  /// on, and does not know.
  func stall(_ worker: WorkerNode) {
    let span = Duration.milliseconds(number(1_000...18_000))
    excuse(worker, for: span + .seconds(1))
    for line in lines(of: worker) {
      (line.lastUp, line.lastDown) = (max(line.lastUp, now + span), max(line.lastDown, now + span))
    }
  }

  /// Connections break, without a word.
  func cutLines(of node: Node) {
    let all = lines(of: node)
    let isNoticedSoon = chance(30)
    var longest = Duration.zero
    for line in chance(60) ? all : Array(all.prefix(1)) {
      let times = (0..<2).map { _ in
        Duration.milliseconds(number(0...(isNoticedSoon || chance(50) ? 400 : 15_000)))
      }
      longest = max(longest, times[0], times[1])
      cut(line, broker: times[0], client: times[1])
    }
    if longest > World.briefCut { excuse(node, for: longest + .seconds(6)) }
  }

  /// A cut that both sides notice as soon as that costs no worker its lease.
  private static let briefCut: Duration = .milliseconds(400)

  /// What a worker runs may run again: it may be silent for longer than its lease.
  func excuse(_ node: Node, for span: Duration) {
    guard let worker = node as? WorkerNode else { return }
    let until = Moment(nanoseconds: Int64((now + span) / .nanoseconds(1)))
    cutOffs.append(CutOff(pid: worker.pid, from: moment, until: until))
  }

  /// All connections of a worker break: the broker notices it at once, and the worker after a while.
  func cutAll(of worker: WorkerNode, noticed time: Duration) {
    excuse(worker, for: time + .seconds(6))
    for line in lines(of: worker) { cut(line, broker: .zero, client: time) }
  }

  /// The broker closes one connection.
  private func closeLine() throws {
    guard let node = some(of: nodes.filter(\.isAlive)), let line = some(of: lines(of: node)) else { return }
    close(line)
  }

  /// The broker closes a connection. What its process has sent on others arrives.
  func close(_ line: Line) {
    broker.say(.closed(.connectionClosed(code: 320, text: "CONNECTION_FORCED")), line.id)
    broker.end(line.id, at: now)
    takeOutput()
  }

  private func crashBroker() {
    isBrokerUp = false
    broker.crash()
    takeOutput()
    after(.milliseconds(number(100...4_000)), nil, "is back") { [self] in isBrokerUp = true }
  }

  private func wipeBroker() {
    let from = moment
    isBrokerUp = false
    broker.wipe()
    takeOutput()
    for client in clients { client.forgetOffset() }
    after(.milliseconds(number(100...4_000)), nil, "is back without its disk") { [self] in
      isBrokerUp = true
      wipes.append(Wipe(from: from, until: moment))
    }
  }

  private var jobQueues: [String] {
    broker.queues.keys.filter { $0.hasPrefix("teller.department.") }.sorted()
  }

  private func purge() {
    allowances.append(.lostMessages)
    if let queue = some(of: jobQueues) { broker.purge(queue) }
  }

  /// For a while a queue takes little, and drops or refuses the rest.
  private func limitQueue() {
    guard let queue = some(of: jobQueues) else { return }
    let policy = ModelQueue.LengthLimit(most: number(0...3), rejects: chance(60))
    if !policy.rejects { allowances.append(.lostMessages) }
    broker.limit(queue, by: policy)
    after(.milliseconds(number(500...9_000)), nil, "limits \(queue) no longer") { [self] in
      broker.limit(queue, by: nil)
    }
  }

  private func deleteQueue() {
    allowances.append(.lostMessages)
    if let queue = some(of: jobQueues) { broker.remove(queue) }
    takeOutput()
  }

  private func alarm() {
    broker.setAlarmed(true)
    after(.milliseconds(number(100...9_000)), nil, "has room again") { [self] in
      broker.setAlarmed(false)
      readOn()
    }
  }

  /// The coordinator's machine is gone with its disk, and another one goes on with what it has of the ledger.
  func loseMachine() throws {
    guard let second = coordinators[0].second, second.hasCopy, coordinators[0].opened != nil else { return }
    coordinators[0].end()
    try second.replaceFirst()
    sometimes.note(.machineLost)
    superviseSoon(coordinators[0])
  }

  /// One turn is not recorded: the next one, or the next that records an early report.
  private func fillDisk() throws {
    guard let coordinator = someCoordinator, coordinator.opened != nil, coordinator.second == nil else { return }
    if chance(50) { coordinator.failsEarly = true } else { try coordinator.file.fillUp() }
  }

  /// The ledger is what it was a while ago.
  private func rollBack() throws {
    guard let file = coordinators.first?.file else { return }
    guard file.hasBackup else { return }
    coordinators[0].end()
    try file.restore()
    (isRolledBack, restoredAt) = (true, now)
    // The copy may be older than the first coordinator.
    coordinators[0].timeAhead = nil
    superviseSoon(coordinators[0])
  }
}
