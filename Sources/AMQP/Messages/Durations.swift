extension Duration {
  /// Whole milliseconds, cut off. A duration that does not fit is `Int64.max` or `Int64.min`.
  var milliseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000) }

  /// Whole microseconds, cut off. A duration that does not fit is `Int64.max` or `Int64.min`.
  var microseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }
}
