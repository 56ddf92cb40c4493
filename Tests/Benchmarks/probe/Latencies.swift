import Synchronization

/// How long jobs took, from many tasks, in microseconds. Each is kept: its percentiles are exact, and taken as those of
/// the peers and of the limit are.
final class Latencies: Sendable {
  /// How many may be kept: 80 MB.
  static let most = 10_000_000

  private let taken = Mutex<[UInt64]>([])

  /// Has room for so many, so that nothing is copied while it is measured.
  init(room count: Int) {
    taken.withLock { $0.reserveCapacity(count) }
  }

  /// Adds one that was meant to begin then, and has ended now.
  func record(since begin: UInt64) {
    let end = now
    let microseconds = end > begin ? (end - begin) / 1_000 : 0
    taken.withLock { $0.append(microseconds) }
  }

  /// Of those that were recorded, at least one.
  var summary: Summary { Summary(sorted: taken.withLock { $0.sorted() }) }

  struct Summary: Encodable {
    var count: Int
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

    fileprivate init(sorted: [UInt64]) {
      let percentile = { (part: Int) in sorted[sorted.count * part / 100] }
      (p50, p90, p99) = (percentile(50), percentile(90), percentile(99))
      (count, max) = (sorted.count, sorted[sorted.count - 1])
    }
  }
}

/// A job did not succeed.
struct UnexpectedOutcome: Error, CustomStringConvertible {
  var description: String
}
