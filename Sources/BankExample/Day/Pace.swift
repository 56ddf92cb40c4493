/// How fast the day goes: at 2 everything takes half its time.
struct Pace: Hashable, Sendable {
  /// What `--speed` may say.
  static let limits = 0.01...1000.0

  let speed: Double

  init(speed: Double = 1) {
    self.speed = min(max(speed, Pace.limits.lowerBound), Pace.limits.upperBound)
  }

  /// The time at this speed, in whole milliseconds, as payloads have it.
  func milliseconds(_ time: Duration) -> Int {
    Int((time.seconds * 1000 / speed).rounded())
  }

  /// The same as a duration.
  func scaled(_ time: Duration) -> Duration { .milliseconds(milliseconds(time)) }
}

extension Duration {
  /// The duration in seconds; exact to the microsecond over weeks.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
