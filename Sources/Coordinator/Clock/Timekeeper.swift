import AsyncAlgorithms
import Bookkeeping
import Decisions
import JobModel
import JobTransport

/// Looks after everything that happens because time passes: leases, waits that reach their limit, what is held until a
/// time, marks that can wait, and what is kept no longer. It asks nobody who may be long in answering: leases do not
/// pass while it waits.
struct Timekeeper {
  let bookkeeper: Bookkeeper
  let session: BrokerSession

  /// How often it looks at what is in memory: no job is later than this behind its time.
  static let interval: Duration = .milliseconds(100)
  /// How many turns it takes at most for what is due, before it looks at the rest again.
  static let clockTurns = 64
  /// How long marks wait to be recorded.
  static let marksInterval: Duration = .milliseconds(500)
  /// How often the forecasts of departments are held against what happens.
  static let flowsInterval: Duration = .seconds(1)
  /// How often the metrics show how the books stand.
  static let metricsInterval: Duration = .seconds(2)
  /// How often it looks at what needs a turn of its own.
  static let slowInterval: Duration = .seconds(10)
  /// How often what has ended for long enough is removed: ten times within the time that it is kept, within these
  /// limits.
  static let retentionIntervals: ClosedRange<Duration> = .seconds(1)...(.seconds(60))

  init(_ bookkeeper: Bookkeeper, _ session: BrokerSession) {
    (self.bookkeeper, self.session) = (bookkeeper, session)
  }

  /// How often what is kept for so long is looked at.
  private static func interval(of retention: RetentionSettings) -> Duration {
    let limits = Timekeeper.retentionIntervals
    return min(limits.upperBound, max(limits.lowerBound, (retention.time ?? limits.upperBound) / 10))
  }

  func run() async throws {
    var recurrences = Recurrences(
      retention: Recurrence(every: Timekeeper.interval(of: await bookkeeper.configuration.retention)))
    for await _ in AsyncTimerSequence(interval: Timekeeper.interval, clock: .continuous) {
      let now = SessionClock.now
      try await bookkeeper.watchClock()
      let (signs, board) = bookkeeper.board.snapshot
      let isDeaf = await bookkeeper.isDeaf(signs, at: board)
      try await bookkeeper.tick(at: now, isBlocked: session.state == .blocked || isDeaf)
      try await bookkeeper.shareTellers(at: now)
      try await lookAtClock()
      try await look(at: now, &recurrences)
      bookkeeper.board.renew(HealthPart.timekeeper)
    }
  }

  /// Many jobs that are due at once are lifted turn by turn, so that others have their turns in between.
  private func lookAtClock() async throws {
    for _ in 0..<Timekeeper.clockTurns {
      guard try await bookkeeper.lookAtClock(await bookkeeper.now) else { return }
    }
  }

  private func look(at now: Duration, _ recurrences: inout Recurrences) async throws {
    if recurrences.marks.isDue(at: now) {
      try await bookkeeper.recordMarks()
      try await bookkeeper.touchLedger()
    }
    if recurrences.flows.isDue(at: now) { await bookkeeper.lookAtFlows(at: now) }
    if recurrences.metrics.isDue(at: now) { await bookkeeper.showMetrics() }
    if recurrences.slow.isDue(at: now) {
      try await bookkeeper.ageReleases(at: await bookkeeper.now)
      try await bookkeeper.endUnknownDependencies()
    }
    recurrences.retention.interval = Timekeeper.interval(of: await bookkeeper.configuration.retention)
    if recurrences.retention.isDue(at: now) { await bookkeeper.beginRetention() }
  }

  /// What is not done at each look.
  private struct Recurrences {
    var marks = Recurrence(every: Timekeeper.marksInterval)
    var flows = Recurrence(every: Timekeeper.flowsInterval)
    var metrics = Recurrence(every: Timekeeper.metricsInterval)
    var slow = Recurrence(every: Timekeeper.slowInterval)
    var retention: Recurrence
  }
}
