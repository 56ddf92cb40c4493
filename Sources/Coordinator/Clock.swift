import Foundation
import JobModel
import JobTransport
import Ledger
import Logging

/// The one who looks at the machine's clocks. Every other part takes the ledger's time.
extension Bookkeeper {
  /// The ledger's time.
  var now: Timestamp { clock.time(at: SessionClock.now) }

  /// Goes on with the time of the ledger, or begins it.
  func beginClock(_ transaction: LedgerTransaction, _ machine: MachineTime = .now) throws {
    guard !isClockSet else { return }
    isClockSet = true
    guard let record = try transaction.clock() else { return clock = LedgerClock(at: machine) }
    let (clock, step) = LedgerClock.goOn(after: record, at: machine)
    self.clock = clock
    if let step { tell(step) }
    if !clock.mayRemove(at: now) {
      logger.notice(
        """
        the machine was started anew, or is another one than before, so its clock has to be believed: for a while nothing \
        is removed for its age
        """,
        metadata: ["for": "\(Duration.milliseconds((clock.trialEnd ?? now).milliseconds(since: now)).inWords)"])
    }
  }

  /// Notices when the wall clock was set to another time, also by little at once: many small steps are a large one.
  func watchClock(_ machine: MachineTime = .now) throws(LedgerError) {
    let lead = clock.lead
    if let step = clock.watch(machine) { tell(step) }
    guard clock.lead != lead else { return }
    try turn { turn in
      try turn.ledger.saveClock(clock.record(at: machine))
      // What waits for the wall clock is due at another time of the ledger.
      nextDue = try turn.ledger.nextDue(lead: clock.lead)
    }
  }

  private func tell(_ step: ClockStep) {
    logger.warning(
      """
      this machine's clock was \(step.text): schedules, and jobs that wait for a moment of the clock, follow it; leases, \
      retries, delays, limits, keys and what is kept go on as if nothing had happened
      """)
  }
}

extension MachineTime {
  /// How often the clocks are read at most, until they are read at the same moment.
  private static let mostReadings = 5
  private static let momentLength: Duration = .milliseconds(10)

  private static var reading: MachineTime {
    let monotonic = SessionClock.now
    return MachineTime(wall: .now(), monotonic: monotonic, uptime: Uptime.now)
  }

  /// The clocks are read one after the other: a process that stands still in between would take that for a step.
  static var now: MachineTime {
    for _ in 1..<mostReadings {
      let machine = reading
      if SessionClock.now - machine.monotonic <= momentLength { return machine }
    }
    return reading
  }
}

extension Uptime {
  private static let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    .trimmingCharacters(in: .whitespacesAndNewlines)

  /// Nil where the system does not tell one start from another.
  static var now: Uptime? {
    #if os(Linux)
      var time = timespec()
      guard let boot, clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
      return Uptime(boot: boot, age: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    #else
      return nil
    #endif
  }
}
