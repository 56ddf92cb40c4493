/// How long the broker has said nothing, and what follows from it.
///
/// The C library ends a connection after two heartbeat intervals of silence, and only when it is called: so it is asked
/// more often toward the end of them. Nothing is published meanwhile: rabbitmq-c before 0.14, when it finds the
/// intervals over in a publish, waits there for the broker without a limit.
struct Silence: Hashable, Sendable {
  /// After how many silent intervals the library takes the broker for dead.
  private static let intervals = 2

  /// Of the connection, as agreed; zero: none.
  let heartbeat: Duration
  /// How long before the end of the intervals it counts as long; also how old `lastHeard` may be before the socket is
  /// asked whether there is something to read.
  let margin: Duration
  /// When something came of the broker, if only a heartbeat.
  private(set) var lastHeard: ContinuousClock.Instant

  init(heartbeat: Duration, margin: Duration, since now: ContinuousClock.Instant) {
    (self.heartbeat, self.margin, lastHeard) = (heartbeat, margin, now)
  }

  mutating func heard(at now: ContinuousClock.Instant) { lastHeard = max(lastHeard, now) }

  /// Whether the socket is to be asked for input before it is read. The library keeps heartbeats to itself; where other
  /// frames come, nobody need ask.
  func isToBeNoticed(at now: ContinuousClock.Instant) -> Bool {
    heartbeat > .zero && lastHeard.duration(to: now) >= margin
  }

  /// Whether the broker may be found dead at any moment. One that lives sends a heartbeat in each interval.
  func isLong(at now: ContinuousClock.Instant) -> Bool {
    heartbeat > .zero && lastHeard.duration(to: now) >= heartbeat * Self.intervals - margin
  }
}
