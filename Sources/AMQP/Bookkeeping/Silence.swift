/// How long the broker has said nothing, and how long the library was not asked.
///
/// The C library ends a connection after two heartbeat intervals of silence, but only during a call. So the connection
/// calls it at each turn toward the end of these intervals. Meanwhile the connection publishes nothing: rabbitmq-c before
/// 0.14 waits for the broker without a limit if it publishes after the two intervals.
///
///     the last input                 two intervals − margin           two intervals
///     ──┼───────────────────────────────────┼───────────────────────────────┼──▶
///       │ the connection publishes          │ the silence is long           │ the library ends the connection
struct Silence: Hashable, Sendable {
  /// The library's clock, which stands still while the machine sleeps.
  typealias Instant = SuspendingClock.Instant

  /// After this number of silent intervals the library takes the broker for dead.
  private static let intervals = 2
  /// How often within an interval the library is called, so that it can send a heartbeat in time.
  private static let readsPerInterval = 4

  /// The interval that both sides have agreed on; zero: no heartbeats.
  let heartbeat: Duration
  /// How long before the end of the two intervals the silence counts as long. Also how long the library may go
  /// uncalled.
  let margin: Duration
  /// When the library was last asked for frames.
  private(set) var lastRead: Instant
  /// When the library last had a frame for the connection. It does not tell of heartbeats.
  private(set) var lastFrame: Instant
  /// When something last came from the broker, a heartbeat included.
  private(set) var lastInput: Instant

  init(heartbeat: Duration, margin: Duration, since now: Instant) {
    (self.heartbeat, self.margin) = (heartbeat, margin)
    (lastRead, lastFrame, lastInput) = (now, now, now)
  }

  /// - Parameters:
  ///   - agreed: the interval that the broker agreed to; zero: no heartbeats.
  ///   - wanted: the interval that this side asked for.
  ///   - now: the beginning.
  init(agreed: Duration, wanted: Duration, since now: Instant) {
    let interval = agreed == .zero ? wanted : min(agreed, wanted)
    self.init(heartbeat: agreed, margin: max(interval / Self.readsPerInterval, .milliseconds(50)), since: now)
  }

  mutating func read(at now: Instant) { lastRead = now }

  mutating func frame(at now: Instant) {
    lastFrame = max(lastFrame, now)
    input(at: now)
  }

  mutating func input(at now: Instant) { lastInput = max(lastInput, now) }

  /// Whether the connection looks at the socket before a read. Not while frames come: they say enough.
  func asksForInput(at now: Instant) -> Bool { heartbeat > .zero && lastInput.duration(to: now) >= margin }

  /// Whether the library must be called although the socket has nothing: it may have a heartbeat to send. A connection
  /// that is called often never waits for the socket as long as that.
  func isReadDue(at now: Instant) -> Bool { lastRead.duration(to: now) >= margin || needsReading(at: now) }

  /// Whether the library must be called at each turn: perhaps it has seen no heartbeat either.
  func needsReading(at now: Instant) -> Bool { isLong(since: lastFrame, at: now) }

  /// Whether the library may find the broker dead at any moment. A living broker sends a heartbeat in each interval.
  func isLong(at now: Instant) -> Bool { isLong(since: lastInput, at: now) }

  private func isLong(since last: Instant, at now: Instant) -> Bool {
    heartbeat > .zero && last.duration(to: now) >= heartbeat * Self.intervals - margin
  }
}
