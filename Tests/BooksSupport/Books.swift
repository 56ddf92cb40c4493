import AMQP
import Decisions
import Foundation
import JobModel
import JobTransport
import Ledger
import Logging
import Metrics
import TestSupport
import Testing

@testable import Bookkeeping

/// A bookkeeper on a real ledger, with what it decides to tell in the test's hands.
///
/// `work` has a window, `init` is ordered, of `capped` two may run. A `deposit` is tried twice, at once; a `loan` and a
/// `step` three times, after a long back-off; a `transfer` four times, after one that grows.
struct Books {
  let folder: TemporaryFolder
  let bookkeeper: Bookkeeper
  let ledger: Ledger
  /// Stands still until the test moves it.
  let clock: HandClock
  let outbox: Outbox
  /// Takes what turns write; they are safe when this says so. Nil: when they are recorded.
  let shipping: Shipping?
  let watching: Watching?
  /// Makes what counts the turns.
  let metrics: any MetricsFactory

  init(
    in folder: TemporaryFolder? = nil, window: Int = 10, lease: Duration = .seconds(5), schedules: [CronSchedule] = [],
    retention: RetentionSettings = .init(), shipping: Shipping? = nil, watching: Watching? = nil,
    metrics: any MetricsFactory = NOOPMetricsHandler.instance, clock: HandClock = HandClock()
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    let patient = RetrySettings(first: .seconds(600), jitter: 0)
    let growing = RetrySettings(first: .seconds(1_000), factor: 3, longest: .seconds(5_000), jitter: 0)
    let configuration = CoordinatorConfiguration(
      departments: ["work": .init(window: window), "init": .init(isOrdered: true), "capped": .init(cap: 2)],
      kinds: [
        "deposit": .init(department: "work", attempts: 2, retry: RetrySettings(first: .zero)),
        "loan": .init(department: "work", attempts: 3, retry: patient),
        "step": .init(department: "init", attempts: 3, retry: patient),
        "transfer": .init(department: "work", attempts: 4, retry: growing),
        "vault": .init(department: "capped", attempts: 2, retry: RetrySettings(first: .zero)),
      ], lease: lease, schedules: schedules, retention: retention)
    try await self.init(
      folder, try Ledger(path: folder.url.appendingPathComponent("teller.ledger").path), configuration, shipping,
      watching, metrics, clock)
  }

  private init(
    _ folder: TemporaryFolder, _ ledger: Ledger, _ configuration: CoordinatorConfiguration, _ shipping: Shipping?,
    _ watching: Watching?, _ metrics: any MetricsFactory, _ clock: HandClock
  ) async throws {
    (self.folder, self.ledger, self.shipping, self.watching) = (folder, ledger, shipping, watching)
    (self.metrics, self.clock) = (metrics, clock)
    outbox = Outbox(clock: clock.read)
    bookkeeper = Books.bookkeeper(ledger, configuration, clock, shipping, watching, metrics)
    try await restart()
  }

  private static func bookkeeper(
    _ ledger: Ledger, _ configuration: CoordinatorConfiguration, _ clock: HandClock, _ shipping: Shipping?,
    _ watching: Watching? = nil, _ metrics: any MetricsFactory = NOOPMetricsHandler.instance
  ) -> Bookkeeper {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return Bookkeeper(
      ledger: ledger, configuration: configuration, logger: logger, metrics: metrics, clock: clock.read, chance: .any,
      ship: shipping.map { $0.take }, watch: watching.map { $0.take })
  }

  /// The memory is lost, and a session begins on what the ledger says.
  func restart(at now: Duration = .zero) async throws {
    try await bookkeeper.reload()
    try await beginSession(at: now)
  }

  func beginSession(at now: Duration = .zero) async throws {
    try await bookkeeper.openSession(SessionSignals(outbox: outbox), at: now)
  }

  /// Another coordinator takes over, with another configuration perhaps.
  func succeeded(
    by change: (inout CoordinatorConfiguration) -> Void = { _ in }
  ) async throws -> Books {
    var configuration = await bookkeeper.configuration
    change(&configuration)
    return try await Books(folder, ledger, configuration, shipping, watching, metrics, clock)
  }

  /// The session goes on with another configuration.
  func takeOver(_ change: (inout CoordinatorConfiguration) -> Void) async throws {
    var configuration = await bookkeeper.configuration
    change(&configuration)
    try await bookkeeper.takeOver(configuration)
  }

  /// What a coordinator that has just started would know.
  func freshMemory() async throws -> BookkeeperMemory {
    let fresh = Books.bookkeeper(ledger, await bookkeeper.configuration, clock, shipping)
    try await fresh.reload()
    return await fresh.memory
  }

  /// What has been decided since the last call.
  func told() async throws -> [Outgoing] {
    if let shipping { await bookkeeper.turnsAreSafe(upTo: shipping.last) }
    return try await left()
  }

  /// The same, without what waits for its turn to be safe.
  func left() async throws -> [Outgoing] {
    outbox.releaseAcceptances()
    outbox.append([.live(Books.mark)])
    var told: [Outgoing] = []
    while true {
      for item in try #require(await outbox.take()) {
        if case .live(let notification) = item, notification.event == Books.mark.event { return told }
        told.append(item)
      }
    }
  }

  private static let mark = Notification(
    seq: nil, job: JobID(), kind: "mark", department: "work", event: "mark", attempt: 0, at: HandClock.start)

  /// What the wall clock says; also the time of the ledger, unless the test has set a clock.
  var now: Timestamp { clock.wall }

  /// Looks at what is due when that much time of the ledger has passed; the clocks stay where they are.
  ///
  /// - Returns: Whether there is more to do at once.
  @discardableResult
  func lookAtClock(after span: Duration) async throws -> Bool {
    try await bookkeeper.lookAtClock(await bookkeeper.now + span)
  }

  func job(_ id: JobID) async throws -> Job? { try await ledger.read { try $0.job(id) } }

  func state(_ id: JobID) async throws -> JobState? { try await job(id)?.progress.state }

  func failure(_ id: JobID) async throws -> String? { try await job(id)?.outcome?.failure?.code }
}
