import AMQP
import AuditSupport
import Bookkeeping
import Coordinator
import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger

// What happens because time passes.
extension CoordinatorNode {
  /// How often it looks at what is in memory, in milliseconds.
  static let look = 60...400

  func keepTime(of session: Int) {
    after(.milliseconds(world.number(CoordinatorNode.look)), "looks at the clock") { [self] in
      guard session == self.session, phase == .serving else { return }
      try tick()
      if session == self.session { keepTime(of: session) }
    }
  }

  /// The ledger's time goes on as time does, whoever sets the clock, and whichever process keeps the ledger.
  func checkTime() throws {
    let ahead = try ledgerTime.milliseconds - world.wall.milliseconds
    guard let known = timeAhead else { return timeAhead = ahead }
    guard abs(ahead - known) > CoordinatorNode.inexactness else { return }
    world.failures.append("the time of the ledger of \(name) has leapt by \(ahead - known) ms")
  }

  /// Each process that goes on with the time may be a millisecond or two wrong.
  private static let inexactness: Int64 = 500

  func tick() throws {
    try checkTime()
    let isBlocked = isBlocked
    let givenUp = try withBooks { books in
      try books.watchClock()
      let (now, before) = (books.monotonic, books.awaitedWorkers)
      try books.tick(at: now, isBlocked: isBlocked || books.isDeaf(books.board.snapshot.signs, at: now))
      let givenUp = before.subtracting(books.awaitedWorkers)
      try books.shareTellers(at: now)
      for _ in 0..<64 where try !books.lookAtClock(books.now) { break }
      return givenUp
    }
    checkGivenUp(givenUp)
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
    if isDue(.watch, every: min(watchInterval, configuration.lease)) { try watchQueues() }
    try lookAtRefused()
    follow()
  }

  func isDue(_ task: Task, every interval: Duration) -> Bool {
    guard let last = lasts[task] else {
      lasts[task] = world.now
      return false
    }
    guard world.now - last > interval else { return false }
    lasts[task] = world.now
    return true
  }

  /// Asks the broker about queues in which something may be lost.
  func watchQueues(_ looks: TwoLooks = TwoLooks()) throws {
    let (lease, session) = (configuration.lease, session)
    try look(at: looks.queues(of: try withBooks { $0.suspectQueues(olderThan: lease) })) { [self] empty in
      var looks = looks
      if let empty = looks.looked(empty) {
        try withBooks { try $0.lookForLost(in: empty, olderThan: lease) }
        return follow()
      }
      after(.seconds(1), "looks again") { [self] in
        guard session == self.session, phase == .serving else { return }
        try watchQueues(looks)
      }
    }
  }

  /// Asks for the numbers of messages in these queues; `then` gets those that are empty.
  private func look(at queues: Set<JobQueue>, then: @escaping (Set<JobQueue>) throws -> Void) throws {
    guard let consuming else { return }
    if queues.isEmpty { return try then([]) }
    var (left, empty) = (queues.count, Set<JobQueue>())
    for queue in queues.sorted() {
      let declaration = Topology.queue(queue)
      questions[declaration.name] = { messages in
        left -= 1
        if messages == 0 { empty.insert(queue) }
        if left == 0 { try then(empty) }
      }
      world.send(.ask(declaration), on: consuming)
    }
  }

  /// Looks again at departments whose queue the broker has refused.
  func lookAtRefused() throws {
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

  func declare(_ queues: [JobQueue], on line: World.Line) {
    let bindings = queues.map(Topology.binding)
    world.send(
      .declare(
        queues.map(Topology.queue),
        bindings.map { QueueBinding(queue: $0.queue, exchange: $0.exchange, key: $0.routingKey) }), on: line)
  }

  /// The coordinator goes on with another configuration.
  func reconfigure(_ configuration: CoordinatorConfiguration) throws {
    self.configuration = configuration
    world.allow(configuration)
    world.mayGoOn(with: configuration, self)
    isReconfigured = true
    guard phase == .serving, let publishing else { return }
    world.sometimes.note(.reconfigured)
    declare(configuration.departments.keys.sorted().map { JobQueue($0) }, on: publishing)
    let session = session
    onDeclared = { [self] in if session == self.session, phase == .serving { try takeOver(configuration) } }
  }

  /// The queues of its departments are there.
  private func takeOver(_ configuration: CoordinatorConfiguration) throws {
    let before = try withBooks { $0.configuration }
    try withBooks { try $0.takeOver(configuration) }
    world.goesOn(with: configuration, self)
    world.sometimes.note(from: before, to: configuration)
    isReconfigured = false
    follow()
  }
}
