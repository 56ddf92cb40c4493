import Decisions
import JobModel
import Ledger
import Logging

/// The time of the ledger, by the clocks of this machine.
final class LedgerTime {
  /// The clock of the ledger; before the ledger is read, the clock of this process.
  private(set) var clock: LedgerClock
  /// When the coordinator served, as far back as the longest limit for submitters.
  var served = ServedTime(memory: Dependencies.unknownLimit)
  /// When this process began, on the session's clock.
  let began: Duration
  private var isSet = false
  private let machineClock: MachineClock
  private let logger: Logger

  init(_ machineClock: MachineClock, _ logger: Logger) {
    (self.machineClock, self.logger) = (machineClock, logger)
    clock = LedgerClock(at: machineClock.reading())
    began = machineClock.monotonic()
  }

  var now: Timestamp { clock.time(at: monotonic) }
  /// The session's clock.
  var monotonic: Duration { machineClock.monotonic() }
  /// All clocks of the machine.
  var machine: MachineTime { machineClock.reading() }
  /// Whether something may be removed because it is old.
  var mayRemove: Bool { clock.mayRemove(at: now) }

  /// Goes on with the time of the ledger, or begins it.
  func begin(_ record: LedgerClock.Record?) {
    guard !isSet else { return }
    isSet = true
    let machine = self.machine
    guard let record else { return clock = LedgerClock(at: machine) }
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

  /// Notices when the wall clock was set to another time, also by many small steps.
  ///
  /// - Returns: Whether the ledger's time has another lead now, to be recorded.
  func watch(_ machine: MachineTime) -> Bool {
    let lead = clock.lead
    if let step = clock.watch(machine) { tell(step) }
    return clock.lead != lead
  }

  private func tell(_ step: ClockStep) {
    logger.warning(
      """
      this machine's clock was \(step.text): schedules, and jobs that wait for a moment of the clock, follow it; leases, \
      retries, delays, limits, keys and what is kept go on as if nothing had happened
      """)
  }
}
