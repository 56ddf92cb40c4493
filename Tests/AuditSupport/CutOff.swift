/// A time in which a process could not have what it did recorded: it was killed, frozen, told to end at once, or kept from
/// the broker for longer than its lease. What it ran then may run again.
package struct CutOff: Hashable, Sendable {
  /// Nil: every process, because the broker lost what they had told it.
  package var pid: Int32?
  /// No later than it began.
  package var from: Moment
  /// No earlier than it was over; nil: it was the process's end.
  package var until: Moment?

  package init(pid: Int32? = nil, from: Moment, until: Moment? = nil) {
    self.pid = pid
    self.from = from
    self.until = until
  }

  /// Whether it fell into the time between two moments, and is about that process.
  package func concerns(_ pid: Int32, between first: Moment, and last: Moment) -> Bool {
    (self.pid ?? pid) == pid && from <= last && (until ?? last) >= first
  }
}

/// A loss of the broker's disk.
package struct Wipe: Hashable, Sendable {
  package var from: Moment
  package var until: Moment

  package init(from: Moment, until: Moment) {
    self.from = from
    self.until = until
  }
}
