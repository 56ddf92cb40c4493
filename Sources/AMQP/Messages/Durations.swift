extension Duration {
  /// Whole milliseconds, cut off. A duration that does not fit is `Int64.max` or `Int64.min`.
  var milliseconds: Int64 { whole(perSecond: 1_000) }

  /// Whole microseconds, cut off. A duration that does not fit is `Int64.max` or `Int64.min`.
  var microseconds: Int64 { whole(perSecond: 1_000_000) }

  private func whole(perSecond parts: Int64) -> Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: parts)
    let (sum, overflows) = whole.addingReportingOverflow(attoseconds / (1_000_000_000_000_000_000 / parts))
    if isTooLarge || overflows { return self < .zero ? .min : .max }
    return sum
  }
}
