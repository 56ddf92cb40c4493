/// How long the broker has said nothing, and what follows from it.
///
/// The C library ends a connection after two heartbeat intervals of silence, and only when it is called: so it is asked at
/// each turn toward the end of them. Nothing is published meanwhile: rabbitmq-c before 0.14, if they are over when it
/// publishes, waits there for the broker without a limit.
struct Silence: Hashable, Sendable {
  /// The library's clock, which stands still while the machine sleeps.
  typealias Instant = SuspendingClock.Instant

  /// After how many silent intervals the library takes the broker for dead.
  private static let intervals = 2

  /// Of the connection, as agreed; zero: none.
  let heartbeat: Duration
  /// How long before the end of the intervals the silence counts as long.
  let margin: Duration
  /// When a frame came from the broker that the library has told of. It does not tell of heartbeats.
  private(set) var lastFrame: Instant
  /// When anything came from the broker, even if only a heartbeat.
  private(set) var lastInput: Instant

  init(heartbeat: Duration, margin: Duration, since now: Instant) {
    (self.heartbeat, self.margin, lastFrame, lastInput) = (heartbeat, margin, now, now)
  }

  mutating func frame(at now: Instant) {
    lastFrame = max(lastFrame, now)
    input(at: now)
  }

  mutating func input(at now: Instant) { lastInput = max(lastInput, now) }

  /// Whether the socket is to be asked for input before it is read; where frames come, nobody need ask.
  func asksForInput(at now: Instant) -> Bool { heartbeat > .zero && lastInput.duration(to: now) >= margin }

  /// Whether the library is to be asked at each turn: it may have had no heartbeat either.
  func needsReading(at now: Instant) -> Bool { isLong(since: lastFrame, at: now) }

  /// Whether the library may find the broker dead at any moment. A broker that lives sends a heartbeat in each interval.
  func isLong(at now: Instant) -> Bool { isLong(since: lastInput, at: now) }

  private func isLong(since last: Instant, at now: Instant) -> Bool {
    heartbeat > .zero && last.duration(to: now) >= heartbeat * Self.intervals - margin
  }
}
