import Foundation

// `timespec` belongs to whichever C module the compiler has read first: that of Foundation, or this one. In a build from
// nothing it is this one.
#if canImport(SwiftOverlayShims)
  import SwiftOverlayShims
#endif

extension MachineTime {
  /// How often the clocks are read at most, until they are read at the same moment.
  private static let mostReadings = 5
  private static let momentLength: Duration = .milliseconds(10)

  private static var reading: MachineTime {
    let monotonic = SessionClock.now
    return MachineTime(wall: .now(), monotonic: monotonic, uptime: Uptime.now)
  }

  /// The clocks are read one after the other: a process that stands still in between would take that for a step.
  package static var now: MachineTime {
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
  package static var now: Uptime? {
    #if os(Linux)
      var time = timespec()
      guard let boot, clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
      return Uptime(boot: boot, age: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    #else
      return nil
    #endif
  }
}

/// The monotonic time of this process, as a duration since it began.
package enum SessionClock {
  private static let origin = ContinuousClock.now
  package static var now: Duration { ContinuousClock.now - origin }
}
