/// How many requests each client may still send: so that one does not take the time of all. A pure value.
///
/// Each client has a bucket. A request takes one out of it, and it fills up again with time.
struct RequestRates: Sendable {
  private struct Bucket {
    var level: Double
    var at: ContinuousClock.Instant
  }

  /// How many clients are remembered. Those whose buckets are full need not be, and of the others the emptiest are: they have
  /// sent the most.
  static let mostClients = 4_096

  let burst: Int
  let perSecond: Double
  private var buckets: [String: Bucket] = [:]

  init(burst: Int, perSecond: Double) { (self.burst, self.perSecond) = (burst, perSecond) }

  /// Counts a request.
  ///
  /// - Returns: how long the client must wait before it may send one; nil: this one is allowed.
  mutating func wait(of client: String, now: ContinuousClock.Instant) -> Duration? {
    if buckets.count >= RequestRates.mostClients, buckets[client] == nil { forgetFullest(now) }
    var bucket = buckets[client] ?? Bucket(level: Double(burst), at: now)
    bucket.level = level(of: bucket, now)
    bucket.at = now
    defer { buckets[client] = bucket }
    guard bucket.level >= 1 else { return .seconds((1 - bucket.level) / perSecond) }
    bucket.level -= 1
    return nil
  }

  private func level(of bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
    min(Double(burst), bucket.level + (now - bucket.at) / .seconds(1) * perSecond)
  }

  /// Forgets the clients that may send as many as a new one; where few are such, those that have sent the least.
  private mutating func forgetFullest(_ now: ContinuousClock.Instant) {
    let levels = buckets.mapValues { level(of: $0, now) }
    let kept = levels.filter { $0.value < Double(burst) }.sorted { $0.value < $1.value }
    let names = Set(kept.prefix(RequestRates.mostClients / 2).map(\.key))
    buckets = buckets.filter { names.contains($0.key) }
  }
}
