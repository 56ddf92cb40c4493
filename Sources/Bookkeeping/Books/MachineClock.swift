package import JobModel

/// The clocks of this machine, as the books read them. What is decided gets its time as a value; this is where the values
/// come from, and nothing else in this module reads a clock. A test hands in clocks that it moves itself.
package struct MachineClock: Sendable {
  /// The monotonic time of this process: for ages, leases and the length of what is measured.
  package let monotonic: @Sendable () -> Duration
  /// All clocks at the same moment: for the ledger's time.
  package let reading: @Sendable () -> MachineTime

  package init(monotonic: @escaping @Sendable () -> Duration, reading: @escaping @Sendable () -> MachineTime) {
    (self.monotonic, self.reading) = (monotonic, reading)
  }

  /// Those of the machine that this process runs on.
  package static let system = MachineClock(monotonic: { SessionClock.now }, reading: { MachineTime.now })
}
