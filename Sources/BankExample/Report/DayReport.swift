import Teller

/// The report of a day; JSON with `--json`, durations in seconds.
struct DayReport: Hashable, Sendable, Encodable {
  /// One department with its customers.
  struct Counter: Hashable, Sendable, Encodable {
    var department: String
    var tellers: Int
    var customers: Int
    /// The part of the day in which its tellers were busy: 0–1.
    var busyShare: Double
    /// From a customer's arrival to the start of the service; nil when no waiting time is known.
    var waited: Percentiles?
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
  var opening: OpeningRecord

  /// Whether every customer was served, and the opening was in order.
  var isFlawless: Bool { failed == 0 && opening.byRank }
}

extension DayReport {
  /// The measured times of one counter.
  struct Measured: Hashable, Sendable {
    var business: Business
    var tellers: Int
    var customers: Int
    /// How long one customer is served, at the day's pace.
    var serviceTime: Duration
    var waits: [Duration] = []
    var runs: [Duration] = []
  }

  init(served: Int, failed: Int, makespan: Duration, counters: [Measured], opening: OpeningRecord) {
    let ideal = Ideal.makespan(of: counters)
    self.served = served
    self.failed = failed
    self.makespan = makespan.seconds
    self.ideal = ideal?.seconds
    ratio = ideal.flatMap { $0 > .zero ? makespan / $0 : nil }
    departments = counters.map { Counter($0, makespan: makespan) }
    self.opening = opening
  }
}

extension DayReport.Counter {
  fileprivate init(_ measured: DayReport.Measured, makespan: Duration) {
    let available = makespan.seconds * Double(measured.tellers)
    let worked = measured.runs.reduce(Duration.zero, +).seconds
    self.init(
      department: measured.business.department.name, tellers: measured.tellers, customers: measured.customers,
      busyShare: available > 0 ? worked / available : 0, waited: Percentiles(measured.waits))
  }
}

/// The shortest possible day: no teller is idle while a customer waits, and only the service takes time.
enum Ideal {
  /// The largest over the counters of ceil(customers ÷ tellers) × service time.
  ///
  /// Nil when a counter has customers and no tellers: such a day would never end.
  static func makespan(of counters: [DayReport.Measured]) -> Duration? {
    var longest = Duration.zero
    for counter in counters where counter.customers > 0 {
      guard counter.tellers > 0 else { return nil }
      let rounds = (counter.customers + counter.tellers - 1) / counter.tellers
      longest = max(longest, counter.serviceTime * rounds)
    }
    return longest
  }
}
