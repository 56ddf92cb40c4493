import Teller

/// How the day went; JSON with `--json`, durations in seconds.
struct DayReport: Hashable, Sendable, Encodable {
  /// One department with its customers.
  struct Counter: Hashable, Sendable, Encodable {
    var department: String
    var tellers: Int
    var customers: Int
    /// What its tellers served, of all the time they were there: 0–1.
    var busyShare: Double
    /// Nil when nobody's waiting time is known.
    var waited: Waits?
  }

  /// From coming in to being served.
  struct Waits: Hashable, Sendable, Encodable {
    var p50: Double
    var p95: Double
    var max: Double
  }

  var served: Int
  var failed: Int
  /// From the first customer's submission to the last customer's outcome.
  var makespan: Double
  /// See `Ideal`; nil when a department with customers has no teller.
  var ideal: Double?
  /// Makespan over ideal.
  var ratio: Double?
  var departments: [Counter]
  /// Whether the steps of the opening ran one after another, by rank.
  var openedByRank: Bool

  /// Whether everything went as it must.
  var isFlawless: Bool { failed == 0 && openedByRank }
}

extension DayReport {
  /// What was measured at one counter.
  struct Measured: Hashable, Sendable {
    var business: Business
    var tellers: Int
    var customers: Int
    /// What one customer takes, at the day's pace.
    var serviceTime: Duration
    var waits: [Duration]
    var runs: [Duration]
  }

  init(served: Int, failed: Int, makespan: Duration, counters: [Measured], openedByRank: Bool) {
    let ideal = Ideal.makespan(
      of: counters.map { .init(customers: $0.customers, tellers: $0.tellers, serviceTime: $0.serviceTime) })
    self.served = served
    self.failed = failed
    self.makespan = makespan.seconds
    self.ideal = ideal?.seconds
    ratio = ideal.flatMap { $0 > .zero ? makespan / $0 : nil }
    departments = counters.map { Counter($0, makespan: makespan) }
    self.openedByRank = openedByRank
  }
}

extension DayReport.Counter {
  fileprivate init(_ measured: DayReport.Measured, makespan: Duration) {
    let available = makespan.seconds * Double(measured.tellers)
    let worked = measured.runs.reduce(Duration.zero, +).seconds
    self.init(
      department: measured.business.department.name, tellers: measured.tellers, customers: measured.customers,
      busyShare: available > 0 ? worked / available : 0, waited: Percentiles(measured.waits).map(DayReport.Waits.init))
  }
}

extension DayReport.Waits {
  fileprivate init(_ percentiles: Percentiles) {
    self.init(p50: percentiles.p50.seconds, p95: percentiles.p95.seconds, max: percentiles.max.seconds)
  }
}
