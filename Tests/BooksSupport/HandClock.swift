import Synchronization

@testable import Bookkeeping
@testable import JobModel

/// The clocks of a machine in the test's hands: they stand still until the test moves them.
final class HandClock: Sendable {
  /// A full minute, before any id that a test makes: the ids of new jobs have the time in them.
  static let start = Timestamp(milliseconds: 1_700_000_040_000)

  private let time = Mutex(
    MachineTime(
      wall: HandClock.start, monotonic: .seconds(1_000), uptime: Uptime(boot: "a machine", age: .seconds(100_000))))

  var machine: MachineTime { time.withLock { $0 } }
  /// What the wall clock says.
  var wall: Timestamp { machine.wall }
  var monotonic: Duration { machine.monotonic }

  /// That much time passes.
  func pass(_ span: Duration) {
    time.withLock { time in
      time.wall = time.wall + span
      time.monotonic += span
      time.uptime?.age += span
    }
  }

  /// The wall clock is set; no time passes.
  func set(by step: Duration) { time.withLock { $0.wall = $0.wall + step } }

  /// As the books read it.
  var read: MachineClock { MachineClock(monotonic: { self.monotonic }, reading: { self.machine }) }
}

extension Chance {
  /// Whatever comes: for a test of what does not hang on it.
  static let any = Chance { UInt64.random(in: .min ... .max) }
}
