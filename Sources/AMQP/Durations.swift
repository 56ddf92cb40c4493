extension Duration {
  /// Whole milliseconds, rounded down; the largest number for what does not fit.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    if overflow { return seconds < 0 ? .min : .max }
    return whole &+ attoseconds / 1_000_000_000_000_000
  }

  /// Whole microseconds, rounded down; the largest number for what does not fit.
  var microseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    return whole &+ attoseconds / 1_000_000_000_000
  }
}
