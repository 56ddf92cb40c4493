/// How long a job waits in a department that is neither idle nor overloaded. Pure functions.
///
/// With `c` tellers, a load of `a` (arrivals per second, times the seconds that one job takes), and exponential times, the
/// probability that a job has to wait is Erlang's second formula: A. K. Erlang, "Solution of some problems in the theory
/// of probabilities of significance in automatic telephone exchanges", 1917. For other times the mean wait is multiplied by
/// half the sum of the squared variations of the arrivals and of the service: A. O. Allen, "Probability, Statistics, and
/// Queueing Theory", 1990, section 5.3, after Allen and Cunneen.
package enum Queueing {
  /// The probability that a job has to wait.
  ///
  /// - Parameters:
  ///   - tellers: At least 1.
  ///   - load: The arrivals that come while one job is served; at least 0. From as many as there are tellers on every job
  ///     waits.
  /// - Returns: From 0 to 1.
  package static func waitProbability(tellers: Int, load: Double) -> Double {
    guard load > 0 else { return 0 }
    let utilisation = load / Double(tellers)
    guard utilisation < 1 else { return 1 }
    // Erlang's first formula, by its recursion: no factorial grows too large.
    let blocking = (1...tellers).reduce(1.0) { before, count in load * before / (Double(count) + load * before) }
    return blocking / (1 - utilisation * (1 - blocking))
  }

  /// The mean wait of a job, in seconds; nil: the arrivals are as many as the tellers can serve, or more.
  ///
  /// - Parameters:
  ///   - tellers: At least 1.
  ///   - arrivals: How many jobs come each second.
  ///   - service: How many seconds one job takes.
  ///   - variation: The squared variations of the times between arrivals, and of the service.
  /// - Returns: The wait, in seconds.
  package static func meanWait(
    tellers: Int, arrivals: Double, service: Double, variation: (arrivals: Double, service: Double)
  ) -> Double? {
    let load = arrivals * service
    guard load < Double(tellers) else { return nil }
    guard load > 0 else { return 0 }
    let exponential = waitProbability(tellers: tellers, load: load) * service / (Double(tellers) - load)
    return exponential * (variation.arrivals + variation.service) / 2
  }
}
