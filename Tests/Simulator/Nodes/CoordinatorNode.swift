import AMQP
import AuditSupport
import Bookkeeping
import Coordinator
import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

/// A coordinator's process: the real ``Bookkeeper`` on a real ledger, the real readers of its messages, and what is between
/// them and the broker.
final class CoordinatorNode: Node {
  let file: LedgerCopy
  var configuration: CoordinatorConfiguration
  private var ledger: Ledger?
  private var opened: Bookkeeper?
  private var signals = SessionSignals()
  let clock: NodeClock
  /// Counts the sessions of all lives.
  private var session = 0
  private(set) var phase = Phase.down
  private(set) var hasServed = false
  private var publishing: World.Line?
  private var consuming: World.Line?
  private var recording: World.Line?
  private var intake: World.Line?
  private var inboxes: [String: [(Delivery, World.Line)]] = [:]
  private var scheduled: Set<Task> = []
  private var lastNumber = 0
  private var awaited: [Int: (PublishResult) throws -> Void] = [:]
  private var questions: [String: (Int) throws -> Void] = [:]
  private var underWay = 0
  /// It is killed when it is about to ack what it has just recorded.
  var diesBeforeAck = false
  private var isNotifying = false
  private var isBlocked = false
  private var lastHeard: Duration = .zero
  private var lasts: [Task: Duration] = [:]

  enum Phase { case down, connecting, standby, serving }

  /// What is done at its time, and not twice at once.
  enum Task: Hashable {
    case intake, reports, presence, early, requests, admin, tell, notify, chores, acceptances
    case marks, slow, flows, pulse, retention, watch, age
  }

  init(_ name: String, _ world: World, _ configuration: CoordinatorConfiguration, file: LedgerCopy) {
    (self.configuration, self.file) = (configuration, file)
    clock = NodeClock(world.time)
    super.init(name, world)
  }

  // MARK: Its life

  override func begin() {
    super.begin()
    phase = .connecting
    after(.milliseconds(world.number(1...200)), "opens the ledger") { [self] in
      do {
        let ledger = try Ledger(path: file.path)
        self.ledger = ledger
        let generator = SeededChance(world.random.next())
        var logger = Logger(label: name, factory: { [world, name] _ in TraceLog(world: world, name: name) })
        logger.logLevel = world.trace.isKept ? .info : .critical
        opened = Bookkeeper(
          ledger: ledger, configuration: configuration, logger: logger, metrics: NOOP.metrics,
          clock: clock.machineClock,
          chance: generator.chance, executor: WriterExecutor(checksThread: false))
        try withBooks { try $0.reload() }
        connect(after: .milliseconds(1))
      } catch LedgerError.inUse {
        // The other one has it.
        phase = .down
        begin()
      }
    }
  }

  /// The process is killed. What is recorded is recorded.
  override func end() {
    guard isAlive else { return }
    super.end()
    diesBeforeAck = false
    close()
  }

  private func close() {
    resetSession()
    phase = .down
    try? ledger?.close()
    (ledger, opened) = (nil, nil)
  }

  private func resetSession() {
    session += 1
    (publishing, consuming, recording, intake) = (nil, nil, nil, nil)
    (inboxes, scheduled, awaited, questions, underWay, isNotifying, isBlocked) = ([:], [], [:], [:], 0, false, false)
    signals.outbox.abandon()
    lasts = [:]
  }

  /// What time it is in the ledger.
  var ledgerTime: Timestamp { get throws { opened == nil ? world.wall : try withBooks { $0.now } } }

  /// It is thrown when something is asked of a process that is dead.
  private struct IsDead: Error {}

  private var books: Bookkeeper {
    get throws {
      guard let opened else { throw IsDead() }
      return opened
    }
  }

  /// What holds the first job that is open in the ledger, as an operator would be told.
  func explainOpen() async throws -> String? {
    guard opened != nil, let job = try LedgerReading(file.url).openJobs().first else { return nil }
    return try await books.explain(job).map { "\($0)" }
  }

  func withBooks<Value: Sendable>(_ body: (isolated Bookkeeper) throws -> Value) throws -> Value {
    try books.assumeIsolated(body)
  }

  // MARK: Connections

  private func connect(after delay: Duration) {
    let session = session
    after(delay, "connects") { [self] in
      guard session == self.session else { return }
      guard world.isBrokerUp else { return connect(after: .milliseconds(world.number(100...1_500))) }
      phase = .connecting
      let own = try books.ledger.id.text
      if world.broker.claim == nil { world.broker.claim = own }
      guard world.broker.claim == own else {
        phase = .standby
        world.sometimes.note(.standby)
        return connect(after: .milliseconds(world.number(500...1_500)))
      }
      let lines = (0..<4).map { _ in world.open(self) }
      (publishing, consuming, recording, intake) = (lines[0], lines[1], lines[2], lines[3])
      world.broker.declare(Topology.exchanges)
      world.send(.declare([Topology.coordinatorQueue], []), on: lines[1])
      world.send(.consume(queue: Topology.Queue.coordinator, tag: "place", prefetch: 64), on: lines[1])
      knock()
    }
  }

  /// Asks for the place of the one active coordinator, and looks again and again whether it still has it.
  private func knock() {
    guard let publishing else { return }
    let session = session
    if phase != .serving, lastHeard < world.now - .seconds(3) { phase = .standby }
    world.send(
      .publish(
        Publishing(
          exchange: "", routingKey: Topology.Queue.coordinator,
          properties: MessageProperties(messageID: "\(name) \(session)", type: "knock"), body: []), number: nil),
      on: publishing)
    after(.seconds(1), "knocks") { [self] in
      guard session == self.session else { return }
      if phase == .serving, world.now - lastHeard > .seconds(20) { return try endSession("it has lost its place") }
      world.sometimes.note(.standby, if: phase == .standby)
      knock()
    }
  }

  private func heard(_ delivery: Delivery, on line: World.Line) {
    world.send(.ack([delivery.deliveryTag]), on: line)
    guard delivery.properties.messageID == "\(name) \(session)" else { return }
    lastHeard = world.now
    guard phase != .serving, !scheduled.contains(.slow) else { return }
    // Only once a session.
    scheduled.insert(.slow)
    prepare()
  }

  /// Declares what lasts, looks whether the ledger was rolled back, and begins to serve.
  private func prepare() {
    guard let publishing else { return }
    let queues = configuration.departments.keys.sorted().map { JobQueue($0) }
    let all = (try? withBooks { $0.kindQueues }) ?? []
    let declared = Topology.queues + (queues + all).map(Topology.queue)
    let bindings = Topology.bindings + (queues + all).map(Topology.binding)
    let session = session
    world.broker.declare(Topology.exchanges)
    onDeclared = { [self] in
      guard session == self.session, phase != .serving else { return }
      try await openSession()
    }
    world.send(
      .declare(
        declared, bindings.map { QueueBinding(queue: $0.queue, exchange: $0.exchange, key: $0.routingKey) }),
      on: publishing)
  }

  private var onDeclared: (() async throws -> Void)?

  private func openSession() async throws {
    guard let publishing else { return }
    let end = streamEnd(of: try books.ledger.id)
    if try withBooks({ try $0.compare(withStreamAt: end) }) { world.sometimes.note(.newEpoch) }
    let mark = try await books.safePosition()
    if end.map({ $0 < mark }) ?? true {
      send(
        NotificationCodec.encode(marker: "\(name) \(session)", ledger: try books.ledger.id, at: mark), on: publishing
      ) {
        _ in
      }
    }
    signals = SessionSignals(outbox: Outbox(clock: clock.machineClock))
    let signals = signals
    try withBooks { try $0.openSession(signals, at: $0.monotonic) }
    phase = .serving
    hasServed = true
    for (queue, line, prefetch) in [
      (Topology.Queue.reports, recording, 64), (Topology.Queue.presence, consuming, 256),
      (Topology.Queue.admin, consuming, 16), (Topology.Queue.early, intake, 64),
      (Topology.Queue.requests, intake, 64), (Topology.Queue.submissions, intake, 256),
    ] {
      if let line { world.send(.consume(queue: queue, tag: queue, prefetch: prefetch), on: line) }
    }
    keepTime(of: session)
    follow()
  }

  /// How far the ledger has come in the stream.
  private func streamEnd(of ledger: LedgerID) -> NotificationPosition? {
    let stream = world.broker.streams[Topology.Queue.notifications] ?? []
    return stream.reversed().lazy
      .compactMap {
        NotificationCodec.position(of: ModelBroker.delivery(of: $0, tag: 0, to: ""), in: ledger)
      }.first
  }

  override func lost(_ line: World.Line, _ error: AMQPError) throws {
    guard [publishing, consuming, recording, intake].contains(where: { $0 === line }) else { return }
    try endSession("\(error)")
  }

  /// The session ends, and another one begins.
  func endSession(_ reason: String, reloads: Bool = false) throws {
    world.trace.say(world.now, name, "its session ends: \(reason)")
    for line in [publishing, consuming, recording, intake] { if let line { world.hangUp(line) } }
    resetSession()
    phase = .connecting
    if reloads { try withBooks { try $0.reload() } }
    connect(after: .milliseconds(world.number(20...1_200)))
  }

  // MARK: What comes in

  override func receive(_ frame: BrokerFrame, on line: World.Line) async throws {
    switch frame {
    case .delivery(let delivery) where delivery.consumerTag == "place": heard(delivery, on: line)
    case .delivery(let delivery):
      guard phase == .serving else { return }
      inboxes[delivery.consumerTag, default: []].append((delivery, line))
      look(for: delivery.consumerTag)
    case .published(let number, let result): try awaited.removeValue(forKey: number)?(result)
    case .declared:
      if line === publishing, let onDeclared {
        self.onDeclared = nil
        try await onDeclared()
      }
    case .counted(let queue, let messages): try questions.removeValue(forKey: queue)?(messages)
    case .deleted(let queue):
      guard let gone = closing.removeValue(forKey: queue) else { return }
      try withBooks { try $0.kindQueueIsGone(gone) }
      world.sometimes.note(.queueRemoved)
      follow()
    case .ended: try endSession("a consumer was ended")
    case .blocked:
      isBlocked = true
      world.sometimes.note(.blocked)
    case .unblocked: isBlocked = false
    case .consuming, .cancelled, .closed: break
    }
  }

  private var closing: [String: JobQueue] = [:]

  private func look(for tag: String) {
    switch tag {
    case Topology.Queue.submissions: soon(.intake) { [self] in try takeIn() }
    case Topology.Queue.reports: soon(.reports) { [self] in try recordReports() }
    case Topology.Queue.presence: soon(.presence) { [self] in try hear() }
    case Topology.Queue.early: soon(.early) { [self] in try recordEarly() }
    case Topology.Queue.requests: soon(.requests) { [self] in try await answer() }
    case Topology.Queue.admin: soon(.admin) { [self] in try await command() }
    default: break
    }
  }

  /// Does something in a moment, once, unless the session has ended by then.
  private func soon(_ task: Task, within longest: Int = 600, _ body: @escaping () async throws -> Void) {
    guard scheduled.insert(task).inserted else { return }
    let session = session
    after(world.span(5...longest), "does \(task)") { [self] in
      guard session == self.session else { return }
      scheduled.remove(task)
      do {
        try await body()
      } catch let error as LedgerError {
        world.failures.append("\(name): \(error)")
      }
    }
  }

  private func takeBatch(_ tag: String, atMost limit: Int = 256) -> [(Delivery, World.Line)] {
    guard let waiting = inboxes[tag], !waiting.isEmpty else { return [] }
    inboxes[tag] = Array(waiting.dropFirst(limit))
    if waiting.count > limit { look(for: tag) }
    return Array(waiting.prefix(limit))
  }

  /// Acks a batch, but not before it is recorded: in between the process may die.
  private func ackSoon(_ batch: [(Delivery, World.Line)]) {
    let session = session
    after(world.span(1...400), "acks \(batch.count)") { [self] in
      if diesBeforeAck, !batch.isEmpty {
        world.sometimes.note(.crashBetweenRecordAndAck)
        end()
        return world.superviseSoon(self)
      }
      guard session == self.session, let line = batch.first?.1 else { return }
      world.send(.ack(batch.map(\.0.deliveryTag)), on: line)
    }
  }

  private func takeIn() throws {
    guard signals.outbox.hasRoom else { return soon(.intake) { [self] in try takeIn() } }
    let batch = takeBatch(Topology.Queue.submissions)
    let submissions = batch.map(\.0).filter { !QueueProbe.isProbe($0) }.flatMap(ReadSubmission.read)
    if !submissions.isEmpty {
      let refusals = try withBooks { try $0.accept(submissions.map(\.incoming)) }
      for refusal in refusals { world.trace.say(world.now, name, "refuses: \(refusal.failure)") }
    }
    ackSoon(batch)
    follow()
  }

  private func recordReports() throws {
    let batch = takeBatch(Topology.Queue.reports)
    var rest = batch.map(\.0).filter { !QueueProbe.isProbe($0) }[...]
    while let portion = Portion(takingFrom: &rest) {
      let isBehind = try withBooks { books in
        let messages = books.vetted(portion.messages, from: portion.users)
        if books.isBehind(messages) { return true }
        _ = try books.record(messages)
        return false
      }
      note(portion.messages)
      if isBehind { return try endSession("the ledger was rolled back") }
    }
    ackSoon(batch)
    follow()
  }

  private func note(_ messages: [ReportMessage]) {
    for message in messages {
      switch message {
      case .claims: world.sometimes.note(.claimed)
      case .fence: world.sometimes.note(.fenced)
      case .dropped: world.sometimes.note(.dropped)
      case .returned: world.sometimes.note(.returned)
      case .report(let report):
        switch report.result {
        case .snoozed: world.sometimes.note(.snoozed)
        case .discarded: world.sometimes.note(.discarded)
        default: break
        }
      default: break
      }
    }
  }

  private func hear() throws {
    let batch = takeBatch(Topology.Queue.presence)
    let read = PresenceCodec.worthReading(batch.map(\.0))
    let (messages, users) = (read.map(PresenceCodec.decode), read.map(\.properties.userID))
    let isBehind = try withBooks { books in
      let news = books.vetted(messages, from: users)
      if books.isBehind(news) { return true }
      if messages.contains(.pulse) { books.board.renew(HealthPart.hearing, at: books.monotonic) }
      if !news.isEmpty { try books.hear(news, at: books.monotonic) }
      return false
    }
    for case .presence(let presence) in messages {
      world.sometimes.note(.probed, if: presence.probe > 0)
      world.sometimes.note(.ahead, if: !presence.waiting.isEmpty)
    }
    if isBehind { return try endSession("the ledger was rolled back") }
    ackSoon(batch)
    follow()
  }

  private func recordEarly() throws {
    let batch = takeBatch(Topology.Queue.early, atMost: 64)
    let allowed = batch.map(\.0).filter(EarlyCodec.isAllowed)
    var reports = allowed.filter(EarlyCodec.hasReports)[...]
    while let portion = Portion(takingFrom: &reports) {
      try withBooks { try $0.recordEarly(portion.messages, from: portion.users) }
    }
    let submissions = allowed.filter { !EarlyCodec.hasReports($0) }.map { delivery in
      Incoming(SubmissionCodec.decode(delivery, now: clock.wall), from: delivery.properties.userID)
    }
    if !submissions.isEmpty {
      world.sometimes.note(.earlySubmission)
      try withBooks { try $0.acceptEarly(submissions) }
    }
    ackSoon(batch)
    follow()
  }

  private func answer() async throws {
    for (delivery, line) in takeBatch(Topology.Queue.requests) {
      let questions = Questions(bookkeeper: try books, outbox: signals.outbox)
      let session = session
      let answer = try await questions.answer(to: delivery, broker: isBlocked ? .blocked : .connected)
      guard session == self.session else { return }
      if let answer { transient(answer) }
      world.send(.ack([delivery.deliveryTag]), on: line)
    }
    follow()
  }

  private func command() async throws {
    for (delivery, line) in takeBatch(Topology.Queue.admin, atMost: 1) {
      let answer = try await Commands(bookkeeper: try books).answer(to: delivery)
      guard phase == .serving else { return }
      follow()
      let session = session
      after(world.span(1...400), "answers a command") { [self] in
        guard session == self.session else { return }
        if let answer { transient(answer) }
        world.send(.ack([delivery.deliveryTag]), on: line)
      }
    }
  }

  // MARK: What goes out

  private func transient(_ message: TransientPublishing) {
    if let publishing { world.send(.publish(Publishing(message), number: nil), on: publishing) }
  }

  private func send(
    _ message: Publishing, on line: World.Line, _ answer: @escaping (PublishResult) throws -> Void
  ) {
    lastNumber += 1
    awaited[lastNumber] = answer
    world.send(.publish(message, number: lastNumber), on: line)
  }

  /// Looks at everything that a turn may have caused.
  private func follow() {
    guard phase == .serving else { return }
    soon(.tell) { [self] in try await tell() }
    soon(.acceptances, within: 5_000) { [self] in
      signals.outbox.releaseAcceptances()
      soon(.tell) { [self] in try await tell() }
    }
    if !isNotifying { soon(.notify, within: 10_000) { [self] in try notify() } }
    if (try? withBooks({ $0.hasChores(butUnpublished: false) })) == true { soon(.chores) { [self] in try doChores() } }
  }

  private func doChores() throws {
    if try withBooks({ try $0.doChores() }) { soon(.chores) { [self] in try doChores() } }
    follow()
  }

  private func tell() async throws {
    guard underWay < 2_048 else { return }
    let batch = signals.outbox.takePresent()
    if batch.isEmpty { return }
    note(batch)
    guard let publishing else { return }
    let session = session
    for item in batch {
      switch item {
      case .makeQueue(let queue):
        declare([queue], on: publishing)
      case .removeQueue(let queue):
        closing[Topology.Queue.assignments(queue)] = queue
      case .polled(let poll):
        let document = try await books.document(of: poll)
        guard session == self.session else { return }
        transient(AnswerCodec.encode(document, to: poll.address))
      case .keyPolled(let poll):
        let document = try await books.keyStatus(poll.key)
        guard session == self.session else { return }
        transient(AnswerCodec.encode(document, to: poll.address))
      default: break
      }
    }
    for item in batch { if case .assignment(let assignment) = item { release(assignment, on: publishing) } }
    for item in batch {
      if case .fence(let number) = item {
        send(ReportCodec.encode(fence: number, ledger: try books.ledger.id), on: publishing) { [self] result in
          if result != .confirmed { try endSession("the broker refused a fence") }
        }
      }
    }
    for message in batch.filter({ !$0.isAssignment }).messages { transient(message) }
    for item in batch {
      if case .removeQueue(let queue) = item {
        world.send(.delete(queue: Topology.Queue.assignments(queue)), on: publishing)
      }
    }
    try withBooks { try $0.fillOn() }
    follow()
  }

  private func release(_ assignment: Assignment, on line: World.Line) {
    underWay += 1
    let release = assignment.release
    send(AssignmentCodec.encode(assignment), on: line) { [self] result in
      underWay -= 1
      switch result {
      case .confirmed: try books.confirmed([release])
      case .nacked: try withBooks { $0.notTaken([release]) }
      case .refused(_, let text): try withBooks { try $0.end([RefusedRelease(release: release, reason: text)]) }
      case .returned:
        world.sometimes.note(.returnedPublishing)
        return try endSession("no queue takes assignments")
      }
      follow()
    }
  }

  private func notify() throws {
    guard !isNotifying, let publishing, let batch = try withBooks({ try $0.nextNotifications(atMost: 500) }) else {
      return
    }
    isNotifying = true
    for notification in batch.notifications { note(notification) }
    send(NotificationCodec.encode(batch), on: publishing) { [self] result in
      guard result == .confirmed else { return try endSession("the stream refused a message") }
      isNotifying = false
      try withBooks { $0.sent(batch) }
      soon(.notify, within: 10_000) { [self] in try notify() }
    }
  }

  // MARK: Time

  /// How often it looks at what is in memory, in milliseconds.
  private static let look = 60...400

  private func keepTime(of session: Int) {
    after(.milliseconds(world.number(CoordinatorNode.look)), "looks at the clock") { [self] in
      guard session == self.session, phase == .serving else { return }
      try tick()
      if session == self.session { keepTime(of: session) }
    }
  }

  private func tick() throws {
    let isBlocked = isBlocked
    try withBooks { books in
      try books.watchClock()
      let now = books.monotonic
      try books.tick(at: now, isBlocked: isBlocked || books.isDeaf(books.board.snapshot.signs, at: now))
      try books.shareTellers(at: now)
      for _ in 0..<64 where try !books.lookAtClock(books.now) { break }
    }
    world.sometimes.note(.paused, if: isBlocked)
    if isDue(.marks, every: .milliseconds(500)) {
      try withBooks { books in
        try books.recordMarks()
        try books.touchLedger()
      }
    }
    if isDue(.pulse, every: Pulse.interval) { transient(PresenceCodec.pulse) }
    if isDue(.flows, every: .seconds(1)) { try withBooks { $0.lookAtFlows(at: $0.monotonic) } }
    if isDue(.age, every: .seconds(10)) {
      try withBooks { books in
        try books.ageReleases(at: books.now)
        try books.endUnknownDependencies()
      }
    }
    if isDue(.retention, every: .seconds(2)) { try withBooks { $0.beginRetention() } }
    if isDue(.watch, every: configuration.lease) { try watchQueues() }
    try lookAtRefused()
    follow()
  }

  private func isDue(_ task: Task, every interval: Duration) -> Bool {
    guard let last = lasts[task] else {
      lasts[task] = world.now
      return false
    }
    guard world.now - last > interval else { return false }
    lasts[task] = world.now
    return true
  }

  /// Asks the broker about queues in which something may be lost.
  private func watchQueues() throws {
    guard let consuming else { return }
    let lease = configuration.lease
    let queues = try withBooks { $0.suspectQueues(olderThan: lease) }
    var (left, empty) = (queues.count, Set<JobQueue>())
    for queue in queues.sorted() {
      let declaration = Topology.queue(queue)
      questions[declaration.name] = { [self] messages in
        left -= 1
        if messages == 0 { empty.insert(queue) }
        guard left == 0 else { return }
        let found = empty
        try withBooks { try $0.lookForLost(in: found, olderThan: lease) }
        follow()
      }
      world.send(.ask(declaration), on: consuming)
    }
    if queues.isEmpty {
      try withBooks { try $0.lookForLost(in: [], olderThan: lease) }
      follow()
    }
  }

  /// Looks again at departments whose queue the broker has refused.
  private func lookAtRefused() throws {
    guard let consuming else { return }
    for department in try withBooks({ $0.refusedDepartments(dueAt: $0.monotonic) }) {
      declare([JobQueue(department)], on: consuming)
      let name = Topology.Queue.department(department)
      questions[name] = { [self] _ in
        try withBooks { try $0.readmit(department) }
        follow()
      }
      world.send(.ask(Topology.queue(JobQueue(department))), on: consuming)
    }
  }

  private func declare(_ queues: [JobQueue], on line: World.Line) {
    let bindings = queues.map(Topology.binding)
    world.send(
      .declare(
        queues.map(Topology.queue),
        bindings.map { QueueBinding(queue: $0.queue, exchange: $0.exchange, key: $0.routingKey) }), on: line)
  }

  /// The coordinator goes on with another configuration.
  func reconfigure(_ configuration: CoordinatorConfiguration) throws {
    self.configuration = configuration
    guard phase == .serving, let publishing else { return }
    world.sometimes.note(.reconfigured)
    declare(configuration.departments.keys.sorted().map { JobQueue($0) }, on: publishing)
    let session = session
    onDeclared = { [self] in
      guard session == self.session, phase == .serving else { return }
      try withBooks { try $0.takeOver(configuration) }
      follow()
    }
  }
}

extension Outgoing {
  fileprivate var isAssignment: Bool { if case .assignment = self { true } else { false } }
}
