/// How long to wait before the next attempt: twice as long each time, up to a limit, and less by a random part, so that
/// the processes that lost the same broker do not all come back at the same moment.
package struct BackOff: Hashable, Sendable {
  /// Before the first attempt.
  package var first: Duration
  /// At most.
  package var longest: Duration
  private var attempts = 0

  /// The share of the full wait that is left to chance.
  private static let jitter = 0.5
  /// More doublings than any sensible limit needs; keeps the arithmetic from overflowing.
  private static let mostDoublings = 20

  package init(first: Duration = .milliseconds(100), longest: Duration = .seconds(2)) {
    self.first = first
    self.longest = longest
  }

  /// The next wait: between half of the full one and the full one.
  package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
    let full = min(longest, first * (1 << min(attempts, BackOff.mostDoublings)))
    attempts += 1
    return full * Double.random(in: (1 - BackOff.jitter)...1, using: &generator)
  }

  /// Begins with the first wait again.
  package mutating func reset() { attempts = 0 }
}
