/// When nothing goes to the coordinator's early queue: for a while after a message without an answer, and longer after each
/// further one.
///
/// Nobody may read that queue; or whoever does has much to do, and the durable queue costs less: there many jobs share a
/// message.
struct EarlyPause: Sendable {
  /// How long a sender waits for the answer before it sends to the durable queue: several times as long as a coordinator with
  /// little to do takes.
  static let patience: Duration = .milliseconds(10)
  static let shortest: Duration = .milliseconds(100)
  static let longest: Duration = .seconds(5)

  private var until: ContinuousClock.Instant?
  private var next = EarlyPause.shortest

  func lasts(at now: ContinuousClock.Instant) -> Bool { until.map { now < $0 } ?? false }

  mutating func noteAnswer() { self = EarlyPause() }

  mutating func noteSilence(at now: ContinuousClock.Instant) {
    until = now + next
    next = min(next * 2, EarlyPause.longest)
  }
}
