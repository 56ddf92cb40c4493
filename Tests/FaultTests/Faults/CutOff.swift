/// A time in which a process could not have what it did recorded: it was killed, frozen, told to end at once, or kept from
/// the broker for longer than its lease. What it ran then may run again.
struct CutOff: Hashable, Sendable {
  /// Nil: every process, because the broker lost what they had told it.
  var pid: Int32?
  /// No later than it began.
  var from: Moment
  /// No earlier than it was over; nil: it was the process's end.
  var until: Moment?

  /// Whether it fell into the time between two moments, and is about that process.
  func concerns(_ pid: Int32, between first: Moment, and last: Moment) -> Bool {
    (self.pid ?? pid) == pid && from <= last && (until ?? last) >= first
  }
}

/// A loss of the broker's disk.
struct Wipe: Hashable, Sendable {
  var from: Moment
  var until: Moment
}
