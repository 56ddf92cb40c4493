import JobModel

/// The number, the mean and the variation of times, without the times. A pure value.
package struct Moments: Hashable, Sendable {
  package private(set) var count = 0
  private var sum = 0.0
  private var sumOfSquares = 0.0

  package init() {}

  package mutating func add(_ time: Duration) { add(time.inSeconds, times: 1) }

  /// Adds the same time so many times, in seconds.
  package mutating func add(_ seconds: Double, times: Int) {
    count += times
    sum += seconds * Double(times)
    sumOfSquares += seconds * seconds * Double(times)
  }

  package mutating func add(_ other: Moments) {
    count += other.count
    sum += other.sum
    sumOfSquares += other.sumOfSquares
  }

  /// In seconds; 0 without a time.
  package var mean: Double { count == 0 ? 0 : sum / Double(count) }

  /// The variance by the square of the mean: 0 where all times are equal, 1 where they are exponential. Without two
  /// different times it is 0.
  package var squaredVariation: Double {
    guard count > 1, mean > 0 else { return 0 }
    return max(0, sumOfSquares / Double(count) - mean * mean) / (mean * mean)
  }
}

extension Duration {
  /// In seconds, with their fraction.
  package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
