import AMQP
import AsyncAlgorithms
import Bookkeeping
import Decisions
import Hosting
import JobModel
import JobTransport
import Ledger
import Logging

/// What a coordinator does while one set of connections lasts.
struct CoordinatorSession {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let session: BrokerSession
  let wanted: WantedConfiguration
  /// Whether it waits while the virtual host belongs to another ledger.
  let waitsForClaim: Bool
  let drainSignal: Signal
  let services: HostedServices
  let logger: Logger

  /// What the broker hands out before it is acked. Each may be as large as the body cap, and be in memory: only their
  /// number can be limited.
  enum Prefetch {
    static let submissions: UInt16 = 256
    /// Each may be a pack of as many as 64 reports: so many packs have what sixteen transactions take.
    static let reports: UInt16 = 64
    static let presence: UInt16 = 256
    static let requests: UInt16 = 64
    static let admin: UInt16 = 16
    static let early: UInt16 = 64
  }

  /// Serves until drained; `tell` is told whether it stands by, and when it begins to serve.
  func run(tell: @Sendable (Activity) -> Void) async throws {
    let signals = SessionSignals()
    let outbox = signals.outbox
    defer { outbox.abandon() }
    let claim = LedgerClaim(of: bookkeeper.ledger.id, on: connections)
    try await claim.take(waits: waitsForClaim) { tell(Activity(foreignClaim: $0)) }
    let (place, unknown) = try await prepare(signals, tell)
    let consumers = try await Consumers(on: connections)
    session.becameReady()
    tell(Activity(isServing: true))
    let departments = await bookkeeper.configuration.departments.keys.sorted().map(\.name)
    logger.info("serving", metadata: ["departments": "\(departments.joined(separator: ","))"])
    // A part that fails ends the others: a coordinator that is deaf or dumb on one side must not seem alive.
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        try await takeIn(consumers, signals, besides: [place.hold, claim.hold])
        outbox.finish()
      }
      group.addTask {
        try await Telling(bookkeeper: bookkeeper, connections: connections, outbox: outbox).run()
        signals.unsentArrived.close()
      }
      group.addTask {
        if let unknown, try await !epochs.lookAgain(from: unknown, until: signals.unsentArrived) { return }
        try await Notifier(
          bookkeeper: bookkeeper, connections: connections, arrived: signals.unsentArrived, services: services
        ).run()
      }
    }
  }

  private var epochs: EpochCheck {
    EpochCheck(bookkeeper: bookkeeper, connections: connections, session: session, logger: logger)
  }

  /// Takes the place of the one active coordinator, declares what lasts, and tells again what may not have arrived.
  ///
  /// - Returns: The place; and where the ledger stands, if it is not known whether that is behind the notification stream.
  private func prepare(
    _ signals: SessionSignals, _ tell: (Activity) -> Void
  ) async throws -> (ActivePlace, unknown: NotificationPosition?) {
    let serving = await bookkeeper.configuration.departments.keys
    let declaring = Declaring(
      bookkeeper: bookkeeper, connections: connections, session: session, departments: Array(serving),
      added: wanted.latest.configuration.departments.keys.filter { !serving.contains($0) },
      kindQueues: await bookkeeper.kindQueues, logger: logger)
    // A node that is down has its time from now on, however long the broker takes to give the place away.
    try await declaring.lookForDown()
    let place = try await ActivePlace(on: connections, of: session) { refused in
      bookkeeper.board.warn(
        "refused_ledger",
        """
        a coordinator with the ledger \(refused) wanted to serve here and was refused: this virtual host belongs to the \
        ledger of this one, \(bookkeeper.ledger.id); stop the other one, or give it a virtual host of its own
        """)
      logger.warning(
        "a coordinator with another ledger was refused: this virtual host belongs to this one",
        metadata: ["ledger": "\(bookkeeper.ledger.id)", "refused": "\(refused)"])
    }
    try await place.take { tell(Activity(isStandby: true)) }
    tell(Activity())
    try await declaring.run()
    let unknown = try await epochs.run()
    try await bookkeeper.openSession(signals, at: SessionClock.now)
    return (place, unknown)
  }

  /// Everything that brings work in. Ends when a drain has cancelled the consumers; a consumer that ends otherwise, and
  /// a step that fails, end the session with an error.
  private func takeIn(
    _ consumers: Consumers, _ signals: SessionSignals, besides holds: [@Sendable () async throws -> Void]
  ) async throws {
    try await withThrowingTaskGroup(of: Part.self) { group in
      group.addTask {
        try await stopWhenDrained(consumers)
        return .beside
      }
      let letters = deadLetters(consumers, signals.outbox)
      for part in besides(signals) + holds + [letters.run] {
        group.addTask {
          try await part()
          try Task.checkCancellation()
          throw AMQPError.connectionLost(reason: "a part of the coordinator has ended")
        }
      }
      let steps = steps(consumers, signals.outbox, letters)
      for step in steps {
        group.addTask {
          try await step()
          try Task.checkCancellation()
          guard drainSignal.isClosed else { throw AMQPError.connectionLost(reason: "the broker ended a consumer") }
          return .step
        }
      }
      var left = steps.count
      // Not waitForAll: it would wait for the others before it tells that one has failed.
      while left > 0, let ended = try await group.next() { if ended == .step { left -= 1 } }
      group.cancelAll()
    }
  }

  /// What has ended: a step that reads a queue, or what goes on beside the steps as long as there are any.
  private enum Part { case step, beside }

  /// What goes on for as long as the steps do.
  private func besides(_ signals: SessionSignals) -> [@Sendable () async throws -> Void] {
    let chores = ChoreRunner(bookkeeper: bookkeeper, outbox: signals.outbox, arrived: signals.choresArrived)
    let watch = QueueWatch(bookkeeper: bookkeeper, connection: connections.consuming)
    let reconfiguring = Reconfiguring(
      bookkeeper: bookkeeper, connections: connections, wanted: wanted, logger: logger)
    let refused = RefusedWatch(bookkeeper: bookkeeper, connections: connections, session: session)
    return [
      Timekeeper(bookkeeper, session).run, watch.run, refused.run, Pulse(connections: connections).run, chores.run,
      reconfiguring.run, Acceptances(outbox: signals.outbox).run,
    ]
  }

  private func intake(_ consumers: Consumers, _ outbox: Outbox) -> Intake {
    Intake(bookkeeper: bookkeeper, connections: connections, consumer: consumers.submissions, outbox: outbox)
  }

  private func recorder(_ consumers: Consumers, _ outbox: Outbox) -> Recorder {
    Recorder(bookkeeper: bookkeeper, connections: connections, consumer: consumers.reports, outbox: outbox)
  }

  private func deadLetters(_ consumers: Consumers, _ outbox: Outbox) -> DeadLetterReader {
    DeadLetterReader(
      intake: intake(consumers, outbox), recorder: recorder(consumers, outbox), connections: connections,
      logger: logger)
  }

  private func steps(
    _ consumers: Consumers, _ outbox: Outbox, _ letters: DeadLetterReader
  ) -> [@Sendable () async throws -> Void] {
    let (intake, recorder) = (self.intake(consumers, outbox), self.recorder(consumers, outbox))
    let presence = PresenceReader(
      bookkeeper: bookkeeper, connections: connections, consumer: consumers.presence, outbox: outbox)
    let requests = QuestionReader(
      bookkeeper: bookkeeper, connections: connections, session: session, consumer: consumers.requests,
      outbox: outbox)
    let admin = CommandReader(
      bookkeeper: bookkeeper, connections: connections, consumer: consumers.admin, outbox: outbox)
    let early = EarlyReader(
      bookkeeper: bookkeeper, connections: connections, consumer: consumers.early, outbox: outbox)
    let retired = RetiredQueues(bookkeeper: bookkeeper, connections: connections, logger: logger)
    return [
      {
        // What the broker took away came first: a job may wait for one of those.
        try await retired.empty(of: .submissions) { try await intake.record($1, on: $0) }
        await letters.catchUp()
        try await intake.run()
      },
      {
        // In their order: what waited for longest comes first, and a fence behind all.
        try await retired.empty(of: .reports) { try await recorder.record($1, on: $0) { _ in } }
        await letters.catchUp()
        try await recorder.run()
      },
      presence.run, requests.run, admin.run, early.run,
    ]
  }

  private func stopWhenDrained(_ consumers: Consumers) async throws {
    _ = await drainSignal.wait()
    guard drainSignal.isClosed else { return }
    logger.info("draining")
    try await consumers.endAll(on: connections)
  }
}

/// The queues that a coordinator reads.
struct Consumers {
  let reports: Consumer
  let presence: Consumer
  let submissions: Consumer
  let requests: Consumer
  let admin: Consumer
  let early: Consumer

  init(on connections: BrokerConnections) async throws {
    typealias Prefetch = CoordinatorSession.Prefetch
    reports = try await connections.recording.consume(
      Topology.Queue.reports, options: ConsumeOptions(prefetch: Prefetch.reports))
    presence = try await connections.consuming.consume(
      Topology.Queue.presence, options: ConsumeOptions(prefetch: Prefetch.presence))
    admin = try await connections.consuming.consume(
      Topology.Queue.admin, options: ConsumeOptions(prefetch: Prefetch.admin))
    let intake = connections.intake
    early = try await intake.consume(
      Topology.Queue.early, options: ConsumeOptions(prefetch: Prefetch.early))
    requests = try await intake.consume(
      Topology.Queue.requests, options: ConsumeOptions(prefetch: Prefetch.requests))
    // The last: an answer waits behind the deliveries of the consumers before, and only these messages last.
    submissions = try await intake.consume(
      Topology.Queue.submissions, options: ConsumeOptions(prefetch: Prefetch.submissions))
  }

  /// Cancels all. No new work comes in before what is under way is recorded.
  func endAll(on connections: BrokerConnections) async throws {
    // Beside each other: the broker answers behind what it is writing to a connection.
    async let intake: Void = end([early, submissions, requests], on: connections.intake)
    async let others: Void = end([admin, presence], on: connections.consuming)
    async let recording: Void = end([reports], on: connections.recording)
    _ = try await (intake, others, recording)
  }

  private func end(_ consumers: [Consumer], on connection: Connection) async throws {
    for consumer in consumers { try await connection.cancel(consumer.tag) }
  }
}
