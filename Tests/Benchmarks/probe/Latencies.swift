import Histogram
import Synchronization

/// How long jobs took, from many tasks, in microseconds.
final class Latencies: Sendable {
  /// Ten minutes; what takes longer is counted as that long.
  private static let longest: UInt64 = 600_000_000

  private let histogram = Mutex(
    Histogram<UInt64>(highestTrackableValue: longest, numberOfSignificantValueDigits: .three))

  /// Adds one that was meant to begin then, and has ended now.
  func record(since begin: UInt64) {
    let end = now
    let taken = end > begin ? (end - begin) / 1_000 : 0
    _ = histogram.withLock { $0.record(min(taken, Latencies.longest)) }
  }

  var summary: Summary {
    histogram.withLock { histogram in
      Summary(
        count: histogram.totalCount, p50: histogram.valueAtPercentile(50), p90: histogram.valueAtPercentile(90),
        p99: histogram.valueAtPercentile(99), max: histogram.max)
    }
  }

  struct Summary: Encodable {
    var count: UInt64
    var p50: UInt64
    var p90: UInt64
    var p99: UInt64
    var max: UInt64

    enum CodingKeys: String, CodingKey {
      case count
      case p50 = "p50_us"
      case p90 = "p90_us"
      case p99 = "p99_us"
      case max = "max_us"
    }
  }
}

/// A job did not succeed.
struct UnexpectedOutcome: Error, CustomStringConvertible {
  var description: String
}
