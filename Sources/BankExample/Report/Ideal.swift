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
