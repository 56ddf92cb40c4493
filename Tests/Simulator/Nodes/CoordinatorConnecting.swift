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

// Connections, and sessions on them.
extension CoordinatorNode {
  func connect(after delay: Duration) {
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
  func knock() {
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

  func heard(_ delivery: Delivery, on line: World.Line) {
    world.send(.ack([delivery.deliveryTag]), on: line)
    guard delivery.properties.messageID == "\(name) \(session)" else { return }
    lastHeard = world.now
    guard phase != .serving, !scheduled.contains(.slow) else { return }
    // Only once a session.
    scheduled.insert(.slow)
    prepare()
  }

  /// Declares what lasts, looks whether the ledger was rolled back, and begins to serve.
  func prepare() {
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

  func openSession() async throws {
    let end = streamEnd(of: try books.ledger.id)
    let isLate = isStreamLate
    if !isLate, try withBooks({ try $0.compare(withStreamAt: end) }) { world.sometimes.note(.newEpoch) }
    let session = session
    try whenSafe { [self] in
      after(.zero, "begins to serve") { [self] in
        if session == self.session { try await beginToServe(streamEnd: end, isLate: isLate) }
      }
    }
  }

  private func beginToServe(streamEnd end: NotificationPosition?, isLate: Bool) async throws {
    guard let publishing else { return }
    let mark = try await books.safePosition()
    isStreamUnknown = isLate
    if isLate { try withBooks { try $0.streamIsUnknown(from: mark) } }
    if !isLate, end.map({ $0 < mark }) ?? true {
      send(
        NotificationCodec.encode(marker: "\(name) \(session)", ledger: try books.ledger.id, at: mark), on: publishing
      ) { _ in }
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
    if isReconfigured { try reconfigure(configuration) }
    keepTime(of: session)
    if isLate { askStream(from: mark) }
    follow()
  }

  /// How far the ledger has come in the stream.
  func streamEnd(of ledger: LedgerID) -> NotificationPosition? {
    let stream = world.broker.streams[Topology.Queue.notifications] ?? []
    return stream.reversed().lazy
      .compactMap {
        NotificationCodec.position(of: ModelBroker.delivery(of: $0, tag: 0, to: ""), in: ledger)
      }.first
  }

  /// The session ends, and another one begins.
  func endSession(_ reason: String, reloads: Bool = false) throws {
    world.trace.say(world.now, name, "its session ends: \(reason)")
    for line in [publishing, consuming, recording, intake] { if let line { world.hangUp(line) } }
    resetSession()
    phase = .connecting
    if reloads {
      states = [:]
      try withBooks { try $0.reload() }
    }
    connect(after: .milliseconds(world.number(20...1_200)))
  }
}
