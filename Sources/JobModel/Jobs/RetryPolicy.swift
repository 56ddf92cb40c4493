import Foundation

/// When a job whose attempt failed is tried again: later with each attempt, up to a longest time, and never at the same
/// moment as all the others that failed with it.
package struct RetryPolicy: Hashable, Sendable {
  /// After the first attempt.
  package var first: Duration
  /// How much longer it takes after each further one; 1: always the same.
  package var factor: Double
  /// Never longer than this, but for the jitter.
  package var longest: Duration
  /// How far from its time a retry may be, as a part of it: 0.2 is up to a fifth earlier or later.
  package var jitter: Double

  package init(
    first: Duration = .seconds(1), factor: Double = 2, longest: Duration = .seconds(600), jitter: Double = 0.2
  ) {
    self.first = first
    self.factor = factor
    self.longest = longest
    self.jitter = jitter
  }

  /// How long to wait after an attempt.
  ///
  /// - Parameters:
  ///   - attempt: The one that failed, from 1.
  ///   - random: Between 0 and 1; where in the jitter's range this one lies.
  /// - Returns: The back-off, in whole milliseconds.
  package func delay(afterAttempt attempt: Int, random: Double) -> Duration {
    guard first > .zero else { return .zero }
    let growth = pow(max(1, factor), Double(max(0, attempt - 1)))
    let exact = min(longest.seconds, first.seconds * growth)
    let spread = 1 + jitter * (2 * min(1, max(0, random)) - 1)
    return .milliseconds(Int64((exact * spread * 1_000).rounded()))
  }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
