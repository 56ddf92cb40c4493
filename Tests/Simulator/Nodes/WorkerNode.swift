import AMQP
import AuditSupport
import Decisions
import JobModel
import JobTransport
import Teller

/// A worker's process: the real ``WorkerState``, with its messages on the model broker, and handlers that do what the job's
/// script says.
final class WorkerNode: Node {
  /// What the worker serves.
  struct Setting {
    var departments: [Department: Int]
    var kinds: Set<JobKind>
    var adoptAfter: Duration
    /// An older worker does not say which handlers it has: it gives back what it has none for.
    var namesKinds = true
  }

  var setting: Setting
  var state: WorkerState
  private(set) var pid: Int32 = 0
  /// Whether this process says which handlers it has.
  private(set) var namesKinds = true
  var consuming: World.Line?
  var publishing: World.Line?
  var isServing = false
  /// Since when its lines are as they are.
  private(set) var linesSince: Duration = .zero
  var handlers: [ReleaseID: ScriptedRun] = [:]
  private var inbox: [Delivery] = []
  var lastNumber = 0
  var lastClaims: [ReleaseID: (session: Int, number: Int)] = [:]
  var batches: [Int: OpenBatch] = [:]
  var lastBatch = 0
  var step: DepartmentPool.Step?
  private var isStaffing = false
  var due: Set<WorkerDue> = []
  var early: (number: Int, batch: ReportOutbox.Batch)?

  struct OpenBatch {
    let batch: ReportOutbox.Batch
    let packs: [ReportOutbox.Batch.Pack]
    let numbers: [Int]
    var results: [Int: PublishResult] = [:]
  }

  init(_ name: String, _ world: World, _ setting: Setting) {
    self.setting = setting
    state = WorkerState(WorkerID(name), tellers: [:], name: name, at: .simulated(.zero))
    super.init(name, world)
  }

  override var user: String { "worker" }
  var instant: WorkerState.Instant { .simulated(world.now) }
  var worker: WorkerID { state.worker }
  /// Whether it has a handler for each kind, and says so.
  var hasAllKinds: Bool { isAlive && namesKinds && Set(state.policies.keys).isSuperset(of: HandlerKinds.all) }

  /// The process begins, as another worker than before.
  override func begin() {
    super.begin()
    world.lastPID += 1
    pid = world.lastPID
    namesKinds = setting.namesKinds
    let timeouts = WorkerTimeouts(adoptAfter: setting.adoptAfter, grace: .seconds(2), drain: .seconds(60))
    state = WorkerState(
      WorkerID("\(name)-\(pid)"), tellers: setting.departments, timeouts: timeouts, name: name, at: instant)
    state.policies = Dictionary(uniqueKeysWithValues: setting.kinds.map { ($0, Script.policies(of: $0)) })
    lastClaims = [:]
    (handlers, inbox, batches, step, early, due) = ([:], [], [:], nil, nil, [])
    (consuming, publishing, isServing, isStaffing) = (nil, nil, false, false)
    connect(after: .milliseconds(1))
  }

  /// The process is killed: what its handlers have done is not reported.
  override func end() {
    guard isAlive else { return }
    world.cutOffs.append(CutOff(pid: pid, from: world.moment))
    super.end()
  }

  // MARK: Connections

  private func connect(after delay: Duration) {
    after(delay, "connects") { [self] in
      guard world.isBrokerUp else { return connect(after: .milliseconds(world.number(100...1_500))) }
      let (consuming, publishing) = (world.open(self), world.open(self))
      (self.consuming, self.publishing) = (consuming, publishing)
      linesSince = world.now
      take(.connected)
      let session = state.session
      let bindings = Topology.workerBindings(worker, session: session, departments: setting.departments.keys.sorted())
      world.send(
        .declare(
          [Topology.workerQueue(worker, session: session)],
          bindings.map { QueueBinding(queue: $0.queue, exchange: $0.exchange, key: $0.routingKey) }), on: consuming)
      world.send(
        .consume(
          queue: Topology.Queue.worker(worker, session: session), tag: WorkerNode.control, prefetch: 256),
        on: consuming)
    }
  }

  private static let control = "control"

  override func lost(_ line: World.Line, _ error: AMQPError) {
    guard line === consuming || line === publishing else { return }
    if case .channelClosed = error, let step, case .consume(let department, let kind, _, _) = step, line === consuming {
      take(.refused(JobQueue(department, kind: kind), error))
    }
    for other in [consuming, publishing] { if let other, other !== line { world.hangUp(other) } }
    (consuming, publishing, isServing, isStaffing, step) = (nil, nil, false, false, nil)
    linesSince = world.now
    inbox = []
    due = []
    let open = batches.sorted { $0.key < $1.key }.map(\.value.batch)
    batches = [:]
    if let early {
      self.early = nil
      take(.endedEarly(isRecorded: nil))
      take(.unpublished(early.batch))
    }
    for batch in open { take(.unpublished(batch)) }
    take(.disconnected)
    connect(after: .milliseconds(world.number(20...1_200)))
  }

  override func receive(_ frame: BrokerFrame, on line: World.Line) async throws {
    switch frame {
    case .delivery(let delivery):
      inbox.append(delivery)
      if inbox.count == 1 { after(world.span(0...400), "reads") { [self] in read() } }
    case .published(let number, let result): published(number, result)
    case .consuming(let tag) where tag == WorkerNode.control: serve()
    case .consuming(let tag):
      // Deliveries may be in front of the answer, and none behind it is handled before.
      if case .consume(let department, _, tag, _)? = step { take(.consuming(tag, department)) }
      step = nil
      staff()
    case .cancelled(let tag):
      read()
      step = nil
      take(.cancelled(tag))
      staff()
    case .ended:
      try world.abandon(line, .connectionLost(reason: "its deliveries ended"))
    case .blocked, .unblocked, .declared, .counted, .deleted, .closed: break
    }
  }

  private func serve() {
    isServing = true
    let waiting = due
    due = []
    for due in waiting.sorted(by: { $0.order < $1.order }) { raise(due) }
    tick(of: state.session)
  }

  private func tick(of session: Int) {
    after(.milliseconds(2_000), "ticks") { [self] in
      guard session == state.session, isServing else { return }
      take(.ticked)
      try checkLedgerTime()
      for queue in state.refusedQueuesDue(at: instant) { lookAtRefused(queue) }
      tick(of: session)
    }
  }

  // MARK: What happens, and what follows

  private func read() {
    let batch = inbox
    inbox = []
    var acks: (acks: [UInt64], back: [UInt64], rejected: [UInt64]) = ([], [], [])
    world.sometimes.note(.redelivered, if: batch.contains(where: \.isRedelivered))
    for delivery in batch { carryOut(state.handle(.delivered(delivery), at: instant), &acks) }
    settle(acks)
  }

  func take(_ event: WorkerEvent) {
    var acks: (acks: [UInt64], back: [UInt64], rejected: [UInt64]) = ([], [], [])
    carryOut(state.handle(event, at: instant), &acks)
    settle(acks)
  }

  func settle(_ acks: (acks: [UInt64], back: [UInt64], rejected: [UInt64])) {
    guard let consuming else { return }
    if !acks.acks.isEmpty { world.send(.ack(acks.acks), on: consuming) }
    if !acks.back.isEmpty { world.send(.requeue(acks.back), on: consuming) }
    if !acks.rejected.isEmpty { world.send(.reject(acks.rejected), on: consuming) }
  }

  func carryOut(
    _ actions: [WorkerAction], _ acks: inout (acks: [UInt64], back: [UInt64], rejected: [UInt64])
  ) {
    for action in actions {
      switch action {
      case .ack(let tag): acks.acks.append(tag)
      case .requeue(let tag):
        world.sometimes.note(.handedBack)
        acks.back.append(tag)
      case .reject(let tag): acks.rejected.append(tag)
      case .start(let start): run(start)
      case .cancel(let release, let reason): handlers[release]?.cancel(reason)
      case .due(let due): raise(due)
      case .recordedEarly: endEarly(isRecorded: true)
      case .returnTeller(let release): handlers[release]?.hasTellerAgain()
      case .endWaits: for run in handlers.values.sorted(by: { $0.number < $1.number }) { run.endWait() }
      case .beginDrain: world.trace.say(world.now, name, "drains")
      case .log(let level, let text, _):
        world.sometimes.note(.otherLedger, if: text.contains("another ledger than before"))
        world.trace.say(world.now, name, "\(level): \(text)")
      case .end: leave()
      case .takeRuns, .sendProgressAgain, .heard, .show, .staff, .ready: break
      }
    }
  }

  private func raise(_ due: WorkerDue) {
    guard self.due.insert(due).inserted, isServing else { return }
    after(world.span(5...300), "looks at its \(due)") { [self] in
      guard isServing, self.due.remove(due) != nil else { return }
      switch due {
      case .presence: sendPresence()
      case .reports: publishReports()
      case .staffing: staff()
      }
    }
  }

  private func sendPresence() {
    guard let publishing, state.end == nil else { return }
    take(.sentPulse)
    transient(PresenceCodec.encode(presence(isGoodbye: false)), on: publishing)
    transient(ControlCodec.pulse(state.pulsesSent, to: worker), on: publishing)
  }

  private func presence(isGoodbye: Bool) -> Presence {
    var stuck: [Department: Int] = [:]
    for (release, department) in state.stuckRuns where handlers[release] != nil { stuck[department, default: 0] += 1 }
    let presence = state.presence(isGoodbye: isGoodbye, stuck: stuck, at: instant)
    return namesKinds ? presence : Presence(silent: presence)
  }

  func tell(_ progress: WorkerProgress) {
    guard isServing, let publishing else { return }
    for message in PresenceCodec.encode(progress) { transient(message, on: publishing) }
  }

  func transient(_ message: TransientPublishing, on line: World.Line) {
    world.send(.publish(Publishing(message), number: nil), on: line)
  }

  /// The worker has drained, or cannot go on.
  private func leave() {
    after(world.span(5...500), "ends") { [self] in
      world.sometimes.note(.drained)
      if let publishing, state.isDraining { transient(PresenceCodec.encode(presence(isGoodbye: true)), on: publishing) }
      end()
      world.superviseSoon(self)
    }
  }
}

extension WorkerDue {
  fileprivate var order: Int {
    switch self {
    case .presence: 0
    case .reports: 1
    case .staffing: 2
    }
  }
}

extension WorkerState.Instant {
  private static let origin = ContinuousClock.now
  /// A moment of a schedule.
  static func simulated(_ time: Duration) -> ContinuousClock.Instant { origin + time }
}

extension Publishing {
  init(_ message: TransientPublishing) {
    self.init(
      exchange: message.exchange, routingKey: message.routingKey, properties: message.properties, body: message.body)
  }
}
