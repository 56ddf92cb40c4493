/// The median, the 95th percentile and the longest of some times, in seconds.
struct Percentiles: Hashable, Sendable, Encodable {
  let p50: Double
  let p95: Double
  let max: Double

  /// By nearest rank: each is one of the times. Nil when there are no times.
  init?(_ times: some Sequence<Duration>) {
    let sorted = times.sorted()
    guard let last = sorted.last else { return nil }
    // The smallest time that so many percent of all times do not exceed.
    let at = { (percent: Int) in sorted[(sorted.count * percent + 99) / 100 - 1].seconds }
    p50 = at(50)
    p95 = at(95)
    max = last.seconds
  }
}
