/// How long a watch has been without events that must come. While its reader is slow, the watch takes nothing in, also not
/// what is missing: that time does not count. A pure value.
struct GapTime: Hashable, Sendable {
  private var began: ContinuousClock.Instant?
  private var pausedAt: ContinuousClock.Instant?

  /// Notes whether events are missing.
  mutating func note(isMissing: Bool, at now: ContinuousClock.Instant) {
    began = isMissing ? began ?? now : nil
  }

  /// The watch waits for its reader.
  mutating func pause(at now: ContinuousClock.Instant) { pausedAt = pausedAt ?? now }

  /// The reader has made room.
  mutating func resume(at now: ContinuousClock.Instant) {
    if let pausedAt { began = began.map { $0 + (now - pausedAt) } }
    pausedAt = nil
  }

  var isPaused: Bool { pausedAt != nil }

  /// How long events have been missing.
  func time(at now: ContinuousClock.Instant) -> Duration {
    began.map { (pausedAt ?? now) - $0 } ?? .zero
  }
}
