/// The time of a ledger: by it everything is late, due, kept and aged that counts from something that has happened.
///
/// It begins with what the wall clock says and goes on with the monotonic clock. It never goes back, and it does not
/// follow a wall clock that is set to another time: how far it is ahead of that one is its *lead*. Across restarts it
/// goes on with the time since the machine was started; where that cannot be known, the wall clock has to be believed.
package struct LedgerClock: Hashable, Sendable {
  /// A larger difference is a step, which people are told of.
  package static let stepLimit: Duration = .seconds(2)
  /// A smaller difference is how exactly two clocks can be read.
  static let tolerance: Duration = .milliseconds(100)
  /// How long a wall clock that had to be believed is on trial at most.
  package static let longestTrial: Duration = .seconds(3_600)

  private let begin: Timestamp
  private let origin: Duration
  /// How much later than the wall clock it is.
  package private(set) var lead: Duration
  /// The wall clock had to be believed, and is on trial until then.
  package private(set) var trialEnd: Timestamp?
  /// The last time that the wall clock was set forward, as far as this process knows.
  private var leap: Leap?

  /// The wall clock was set past some moments.
  private struct Leap: Hashable, Sendable {
    /// The ledger's time then.
    var time: Timestamp
    /// How much later than the wall clock the ledger's time was before.
    var lead: Duration
  }

  /// The time now, on the monotonic clock.
  package func time(at now: Duration) -> Timestamp { begin + (now - origin) }

  /// What the wall clock says at a moment of the ledger.
  package func wallTime(of time: Timestamp) -> Timestamp { time - lead }

  /// Which moment of the ledger the wall clock's is.
  package func ledgerTime(of wall: Timestamp) -> Timestamp { wall + lead }

  /// Which moment of the ledger it was when the wall clock came to a moment. A wall clock that is set forward comes to all
  /// the moments in between at once.
  package func arrival(of wall: Timestamp) -> Timestamp {
    guard let leap else { return ledgerTime(of: wall) }
    return max(ledgerTime(of: wall), min(wall + leap.lead, leap.time))
  }

  /// Whether something may be removed because it is old: not while the clock is on trial.
  package func mayRemove(at time: Timestamp) -> Bool { trialEnd.map { $0 <= time } ?? true }
}

// MARK: - Beginning

extension LedgerClock {
  /// What a ledger keeps of its clock.
  package struct Record: Hashable, Sendable {
    package var time: Timestamp
    package var lead: Duration
    /// How the machine said at that moment how long it had been running.
    package var uptime: Uptime?
    package var trialEnd: Timestamp?

    package init(time: Timestamp, lead: Duration, uptime: Uptime? = nil, trialEnd: Timestamp? = nil) {
      (self.time, self.lead, self.uptime, self.trialEnd) = (time, lead, uptime, trialEnd)
    }
  }

  /// A ledger whose time begins now.
  package init(at machine: MachineTime) {
    (begin, origin, lead) = (machine.wall, machine.monotonic, .zero)
  }

  /// A ledger whose time goes on.
  ///
  /// - Returns: The clock, and whether the wall clock is another one than it was.
  package static func goOn(after record: Record, at machine: MachineTime) -> (clock: LedgerClock, step: ClockStep?) {
    let expected = machine.wall + record.lead
    if let time = record.time(at: machine.uptime) {
      var clock = LedgerClock(begin: time, at: machine, expected: expected, record, trialEnd: record.trialEnd)
      let step = ClockStep(by: expected.since(time))
      if step?.isForward == true { clock.leap = Leap(time: time, lead: record.lead) }
      return (clock, step)
    }
    let gap = expected.since(record.time)
    let begin = max(record.time, expected)
    let trialEnd = gap > stepLimit ? begin + min(gap, longestTrial) : record.trialEnd
    let clock = LedgerClock(begin: begin, at: machine, expected: expected, record, trialEnd: trialEnd)
    return (clock, gap < .zero ? ClockStep(by: gap) : nil)
  }

  private init(
    begin: Timestamp, at machine: MachineTime, expected: Timestamp, _ record: Record, trialEnd: Timestamp?
  ) {
    (self.begin, origin, self.trialEnd) = (begin, machine.monotonic, trialEnd)
    let change = begin.since(expected)
    lead = abs(change) > LedgerClock.tolerance ? record.lead + change : record.lead
  }

  /// What the ledger is to keep of it.
  package func record(at machine: MachineTime) -> Record {
    let time = time(at: machine.monotonic)
    return Record(
      time: time, lead: lead, uptime: machine.uptime, trialEnd: mayRemove(at: time) ? nil : trialEnd)
  }
}

extension LedgerClock.Record {
  /// The ledger's time, by a machine that has been running ever since; nil: it has not, or nobody knows.
  fileprivate func time(at now: Uptime?) -> Timestamp? {
    guard let now, let uptime, uptime.boot == now.boot, uptime.age <= now.age else { return nil }
    return time + (now.age - uptime.age)
  }
}

// MARK: - Watching

extension LedgerClock {
  /// Compares itself with the machine's clocks; to be called often.
  ///
  /// - Returns: How the wall clock was set since the last time; nil: it went on.
  package mutating func watch(_ machine: MachineTime) -> ClockStep? {
    let time = time(at: machine.monotonic)
    let change = time.since(machine.wall) - lead
    guard abs(change) > LedgerClock.tolerance else { return nil }
    let earlier = lead
    lead += change
    guard let step = ClockStep(by: .zero - change) else { return nil }
    if step.isForward { leap = Leap(time: time, lead: earlier) }
    // What was believed at the beginning was wrong by that much, so the ledger's time is ahead by that much.
    if !step.isForward, let end = trialEnd, time < end { trialEnd = end + change }
    return step
  }
}

/// The wall clock was set to another time.
package struct ClockStep: Hashable, Sendable {
  /// Below zero: back.
  package let size: Duration

  /// Nil: too small for people.
  package init?(by size: Duration) {
    guard abs(size) > LedgerClock.stepLimit else { return nil }
    self.size = size
  }

  package var isForward: Bool { size > .zero }

  /// As in "set back by 2 min".
  package var text: String {
    let seconds = Duration.seconds(Int64((Double(abs(size).milliseconds) / 1_000).rounded()))
    return "set \(isForward ? "forward" : "back") by \(seconds.inWords)"
  }
}

/// What the clocks of a machine say at one moment.
package struct MachineTime: Hashable, Sendable {
  package var wall: Timestamp
  /// Of this process.
  package var monotonic: Duration
  /// Nil where the machine does not say it.
  package var uptime: Uptime?

  package init(wall: Timestamp, monotonic: Duration, uptime: Uptime?) {
    (self.wall, self.monotonic, self.uptime) = (wall, monotonic, uptime)
  }
}

/// How long a machine has been running since it was started, also while it slept.
package struct Uptime: Hashable, Sendable {
  /// Another one after each start of the machine.
  package var boot: String
  package var age: Duration

  package init(boot: String, age: Duration) {
    (self.boot, self.age) = (boot, age)
  }
}

extension Timestamp {
  fileprivate func since(_ earlier: Timestamp) -> Duration { .milliseconds(milliseconds(since: earlier)) }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
