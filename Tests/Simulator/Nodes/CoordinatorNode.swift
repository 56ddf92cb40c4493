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
  var ledger: Ledger?
  var opened: Bookkeeper?
  var signals = SessionSignals()
  let clock: NodeClock
  /// Counts the sessions of all lives.
  var session = 0
  /// When its present life began.
  private(set) var began: Duration = .zero
  var phase = Phase.down
  var hasServed = false
  var publishing: World.Line?
  var consuming: World.Line?
  var recording: World.Line?
  var intake: World.Line?
  var inboxes: [String: [(Delivery, World.Line)]] = [:]
  var scheduled: Set<Task> = []
  var lastNumber = 0
  var awaited: [Int: (PublishResult) throws -> Void] = [:]
  var questions: [String: (Int) throws -> Void] = [:]
  var underWay = 0
  /// The queues of kinds that are being removed.
  var closing: [String: JobQueue] = [:]
  /// It is killed when it is about to ack what it has just recorded.
  var diesBeforeAck = false
  /// It stands still when it is about to look at a message that has come.
  var freezesBeforeHearing = false
  var heardConnections = HeardConnections()
  /// The next order to drain is lost on its way.
  var losesDrainOrder = false
  var isNotifying = false
  /// When the outbox was empty, the last time: what it has since then was decided later.
  var toldAllAt = Moment(nanoseconds: 0)
  /// Nobody knows whether the ledger is behind the stream.
  var isStreamUnknown = false
  var isBlocked = false
  var lastHeard: Duration = .zero
  var lasts: [Task: Duration] = [:]
  /// How often it asks in which queues something may be lost: what is younger than a lease is not, even if it asks often.
  var watchInterval: Duration = .seconds(60)
  /// What whoever watches was told of each job, and whether the department behind the gates was shut then.
  var states: [JobID: JobState] = [:]
  var wasShut = false
  /// The same for the department that waits for the plan of the configuration.
  var wasBehindShut = false
  /// What it does is not recorded any more, and it is about to read everything anew.
  var isFailing = false
  /// The next early report cannot be recorded.
  var failsEarly = false
  /// How far the ledger's time is ahead of the time of people, in milliseconds; nil: nobody has looked.
  var timeAhead: Int64?

  /// What follows when everything is declared that lasts.
  var onDeclared: (() async throws -> Void)?
  /// The books have another configuration yet.
  var isReconfigured = false
  /// Where everything is recorded, too; nil: nowhere.
  var second: SecondLedger?

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

  override var user: String { "coordinator" }

  // MARK: Its life

  override func begin() {
    super.begin()
    began = world.now
    phase = .connecting
    watchInterval = world.chance(40) ? .milliseconds(world.number(300...4_000)) : .seconds(60)
    after(.milliseconds(world.number(1...200)), "opens the ledger") { [self] in
      do {
        let ledger = try Ledger(path: file.path)
        self.ledger = ledger
        let generator = SeededChance(world.random.next())
        var logger = Logger(label: name, factory: { [world, name] _ in TraceLog(world: world, name: name) })
        logger.logLevel = world.trace.isKept ? .info : .critical
        opened = Bookkeeper(
          ledger: ledger, configuration: configuration, logger: logger, metrics: NoMetrics.metrics,
          clock: clock.machineClock,
          chance: generator.chance, executor: WriterExecutor(checksThread: false), ship: ship,
          watch: watch)
        world.goesOn(with: configuration, self)
        (states, isReconfigured) = ([:], false)
        try withBooks { try $0.reload() }
        try checkTime()
        second?.begin()
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
    (diesBeforeAck, freezesBeforeHearing) = (false, false)
    second?.forgetWaiting()
    close()
  }

  func close() {
    resetSession()
    phase = .down
    isFailing = false
    try? file.makeRoom()
    try? ledger?.close()
    (ledger, opened) = (nil, nil)
  }

  func resetSession() {
    session += 1
    (publishing, consuming, recording, intake) = (nil, nil, nil, nil)
    second?.forgetWaiting()
    (inboxes, scheduled, awaited, questions, underWay, isNotifying, isBlocked) = ([:], [], [:], [:], 0, false, false)
    isStreamUnknown = false
    signals.outbox.abandon()
    // The next session has them all made anew.
    closing = [:]
    lasts = [:]
  }

  /// What time it is in the ledger.
  var ledgerTime: Timestamp { get throws { opened == nil ? world.wall : try withBooks { $0.now } } }

  /// It is thrown when something is asked of a process that is dead.
  struct IsDead: Error {}

  var books: Bookkeeper {
    get throws {
      guard let opened else { throw IsDead() }
      return opened
    }
  }

  /// What holds the first job that is open in the ledger, as an operator would be told.
  func explainOpen() async throws -> String? {
    guard opened != nil, let job = try file.reading.openJobs().first else { return nil }
    let workers = try await books.status(broker: .connected, at: try withBooks { $0.monotonic }).workers
      .map { "\($0.id) runs \($0.running), has \($0.inHand) in hand" }
    return try await books.explain(job).map { "\($0); workers: \(workers)" }
  }

  func withBooks<Value: Sendable>(_ body: (isolated Bookkeeper) throws -> Value) throws -> Value {
    try books.assumeIsolated(body)
  }

  override func lost(_ line: World.Line, _ error: AMQPError) throws {
    guard [publishing, consuming, recording, intake].contains(where: { $0 === line }) else { return }
    try endSession("\(error)")
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
}
