/// The waits between attempts: each twice as long as the last one, up to a limit, and shorter by a random part. So the
/// processes that lost the same broker do not all come back at the same moment.
package struct BackOff: Hashable, Sendable {
  /// The wait before the first attempt.
  package var first: Duration
  /// The longest wait.
  package var longest: Duration
  private var attempts = 0

  /// The part of a wait that is random.
  private static let jitter = 0.5
  /// More doublings than any sensible limit needs, so that the arithmetic does not overflow.
  private static let mostDoublings = 20

  package init(first: Duration = .milliseconds(100), longest: Duration = .seconds(2)) {
    self.first = first
    self.longest = longest
  }

  /// The next wait: between half of the full wait and the full wait.
  package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
    let full = min(longest, first * (1 << min(attempts, BackOff.mostDoublings)))
    attempts += 1
    return full * Double.random(in: (1 - BackOff.jitter)...1, using: &generator)
  }

  /// Makes the next wait the first one again.
  package mutating func reset() { attempts = 0 }
}
