package import AMQP
import AsyncAlgorithms
package import Bookkeeping
package import Decisions
package import Hosting
import JobModel
package import JobTransport
import Ledger
package import Logging
import Synchronization

/// The one coordinator of a ledger: accepts, releases, records and notifies until it is told to drain.
///
/// The steps of the flow end in this order when the coordinator drains:
///
///     intake, recorder, presence, requests ─▶ telling, notifier ─▶ the last marks ─▶ the ledger
///     (no new work comes in)                  (what was decided is told)
package final class CoordinatorService: Sendable {
  private let wanted: WantedConfiguration
  private let ledgerPath: String
  private let logger: Logger
  private let watch: Bookkeeper.Watch?
  private let waitsForClaim: Bool
  /// Services that share the coordinator's life. To be added before ``run()``: `coordinator.services.add(LifecycleLog())`.
  package let services: HostedServices
  private let drainSignal = Signal()
  /// Serving: there is a session with something to drain.
  private let state = Mutex(Activity())
  let session: BrokerSession
  let board = HealthBoard()

  /// How long a drain may take before what is left is let go; the ledger knows all of it.
  static let drainLimit: Duration = .seconds(10)
  /// How long a coordinator whose ledger cannot be written, or who has lost its claim, waits before it tries again.
  static let ledgerBackoff: Duration = .seconds(2)
  /// How often the broker and a coordinator show each other that they are there. More often than others do: a standby
  /// waits until the broker has noticed that a coordinator's machine is gone, which takes it between two and three of
  /// these.
  static let heartbeat: Duration = .seconds(2)
  /// How often the metrics show how the coordinator stands.
  static let gaugesInterval: Duration = .seconds(1)
  /// How often a standby looks whether the ledger is free.
  static let standbyInterval: Duration = .milliseconds(500)

  /// Nothing is opened before ``run()``. `watch` is told each change of a job's state. `waitsForClaim`:
  /// whether it waits while the virtual host belongs to another ledger.
  package init(
    configuration: CoordinatorConfiguration, broker: BrokerSource, ledgerPath: String, logger: Logger,
    waitsForClaim: Bool = false, watch: Bookkeeper.Watch? = nil
  ) {
    var configuration = configuration
    configuration.access.coordinator = broker.url.user
    wanted = WantedConfiguration(configuration)
    self.ledgerPath = ledgerPath
    self.logger = logger
    self.watch = watch
    self.waitsForClaim = waitsForClaim
    services = HostedServices(logger: logger)
    var options = BrokerSessionOptions(readsApart: true)
    options.connections.heartbeat = CoordinatorService.heartbeat
    options.onRefused = { connections, refused in
      // Somebody waits for it.
      guard let answer = AnswerCodec.encode(inPlaceOf: refused) else { return }
      try? connections.publishing.publishSoon(contentsOf: [answer])
    }
    session = BrokerSession(broker, name: "teller coordinator", logger: logger, options: options)
  }

  /// What the coordinator is doing now.
  var activity: Activity {
    var activity = state.withLock { $0 }
    activity.isDraining = drainSignal.isClosed
    return activity
  }

  /// Takes the broker's URL of settings that were read again, for each new connection.
  package func take(_ broker: BrokerURL) { session.source.take(broker, logger) }

  /// Ends ``run()`` after what is under way has been recorded and told; calling it again changes nothing.
  package func drain() {
    services.drain()
    drainSignal.close()
  }

  /// Runs until drained or cancelled. Throws when the ledger cannot be opened, and when the broker refuses this
  /// coordinator for a reason that waiting cannot mend; lost connections and a full disk are waited out.
  package func run() async throws {
    await services.start()
    let result = await Result(ofAwaiting: serve)
    await services.stop(atOnce: !drainSignal.isClosed)
    try result.get()
  }

  private func serve() async throws {
    warnOfShortLease(wanted.latest.configuration)
    async let _: Void = showState()
    guard let ledger = try await openLedger() else { return logger.info("drained") }
    let bookkeeper = Bookkeeper(
      ledger: ledger, configuration: wanted.latest.configuration, logger: logger, board: board,
      clock: .system, chance: .system, watch: services.ifAny?.watching(besides: watch) ?? watch)
    async let _: Void = hideBooksOfStandby(bookkeeper)
    try await untilDrained {
      while try await self.serve(bookkeeper) != .drained {
        try await ContinuousClock().sleep(for: CoordinatorService.ledgerBackoff)
      }
    }
    try? await bookkeeper.recordMarks()
    try await ledger.closeElsewhere()
    logger.info("drained")
  }

  private func warnOfShortLease(_ configuration: CoordinatorConfiguration) {
    guard configuration.lease < CoordinatorConfiguration.safeLease else { return }
    logger.warning(
      "the lease is shorter than three heartbeats: a worker that is only cut off may lose its jobs",
      metadata: ["lease": "\(configuration.lease)"])
  }

  /// Opens the ledger; while another coordinator has it, waits as its standby. Nil: drained meanwhile.
  private func openLedger() async throws -> Ledger? {
    while !drainSignal.isClosed {
      try Task.checkCancellation()
      do {
        return try await Ledger.open(path: ledgerPath)
      } catch .inUse(let path) {
        standBy(path)
        _ = await drainSignal.wait(atMost: CoordinatorService.standbyInterval)
      }
    }
    return nil
  }

  /// Says once that this coordinator stands by for the ledger.
  private func standBy(_ path: String) {
    guard !activity.isStandby else { return }
    state.withLock { $0 = Activity(isStandby: true) }
    logger.notice("standby: another coordinator has the ledger; waiting for it to end", metadata: ["ledger": "\(path)"])
  }

  /// Says once that this coordinator stands by for its place on the broker, also when it finds that again and again.
  private func change(to activity: Activity) {
    if activity.isStandby, !self.activity.isStandby {
      logger.notice("standby: another coordinator is active on this broker, or was just now; waiting for it to end")
    }
    if let foreign = activity.foreignClaim, foreign != self.activity.foreignClaim, waitsForClaim {
      logger.error("waiting: \(foreign)")
    }
    state.withLock { $0 = activity }
    services.show(isOpen: activity.isServing)
  }

  /// Serves until that ends, or until a drain has taken its time: at once when there is nothing to drain, because the
  /// broker or the ledger is away, or another coordinator is active.
  private func untilDrained(_ serving: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask(operation: serving)
      group.addTask {
        _ = await self.drainSignal.wait()
        try Task.checkCancellation()
        guard self.activity.isServing else { return }
        try await ContinuousClock().sleep(for: CoordinatorService.drainLimit)
        self.logger.warning("the drain takes too long: the rest is told by the next coordinator")
      }
      try await group.next()
    }
  }

  /// Shows in the metrics how the coordinator stands, until it ends.
  private func showState() async {
    let gauges = CoordinatorGauges()
    gauges.show(activity, session.state)
    for await _ in AsyncTimerSequence(interval: CoordinatorService.gaugesInterval, clock: .continuous) {
      gauges.show(activity, session.state)
    }
  }

  /// A coordinator that has become a standby has no jobs: else the metrics of two would count them twice.
  private func hideBooksOfStandby(_ bookkeeper: Bookkeeper) async {
    for await _ in AsyncTimerSequence(interval: CoordinatorService.gaugesInterval, clock: .continuous)
    where activity.isStandby {
      await bookkeeper.hideMetrics()
    }
  }

  /// Why it serves no longer.
  enum End { case drained, ledgerFailed, claimLost }

  /// Serves on one connection after the other, until drained, or until the ledger cannot be written: then everything is
  /// let go, nothing is acked or sent back, and the memory is read anew.
  private func serve(_ bookkeeper: Bookkeeper) async throws -> End {
    try await serve(bookkeeper) { try await self.serve(bookkeeper, on: $0) }
  }

  /// The same, with what is done while one set of connections lasts.
  func serve(
    _ bookkeeper: Bookkeeper, by body: @escaping @Sendable (BrokerConnections) async throws -> Void
  ) async throws -> End {
    do {
      try await bookkeeper.reload()
      try await session.run { connections in
        // A standby stays one until it is tried again.
        defer {
          self.state.withLock { $0.isServing = false }
          self.services.show(isOpen: false)
        }
        try await withCancelledReads { try await body(connections) }
      }
      return .drained
    } catch let error as LedgerError where error.isTransient {
      logger.error("nothing can be recorded, so nothing is accepted", metadata: ["reason": "\(error)"])
      return .ledgerFailed
    } catch let foreign as ForeignClaim where waitsForClaim {
      logger.error("the claim of this coordinator was handed over: \(foreign)")
      return .claimLost
    }
  }

  /// Serves while this set of connections lasts, until drained.
  func serve(_ bookkeeper: Bookkeeper, on connections: BrokerConnections) async throws {
    let session = CoordinatorSession(
      bookkeeper: bookkeeper, connections: connections, session: self.session, wanted: wanted,
      waitsForClaim: waitsForClaim, drainSignal: drainSignal, services: services, logger: logger)
    try await session.run(tell: change)
  }
}

// MARK: - Another configuration

extension CoordinatorService {
  /// Takes over another configuration without a restart: a coordinator that serves does so at once, another one when it
  /// serves. The log says what changes, and what needs a restart. Returns before the change is made; of several calls the
  /// last one counts.
  ///
  /// - Parameters:
  ///   - configuration: The new configuration.
  ///   - file: The file that it was read from, for the log.
  ///   - left: What else is different in the file and needs a restart, for the log.
  package func reconfigure(_ configuration: CoordinatorConfiguration, from file: String, left: [String] = []) {
    var configuration = configuration
    configuration.access.coordinator = wanted.latest.configuration.access.coordinator
    let change = wanted.want(configuration, from: file)
    for setting in left + change.left { logger.warning("needs a restart, and is left as it was: \(setting)") }
    warnOfShortLease(change.configuration)
    if activity.isServing { return wanted.changed.fire() }
    let when = change.isEmpty ? "" : "; this counts when this coordinator serves"
    logger.notice("read \(file) again: \(change.text)\(when)")
  }
}
