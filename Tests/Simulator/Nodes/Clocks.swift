import AuditSupport
import Bookkeeping
import Foundation
import JobModel
import Logging
import Metrics
import Synchronization
import TestSupport

/// The clocks of one machine. Its wall clock may be set; the others go on with the time of the schedule.
final class NodeClock: Sendable {
  private let time: VirtualTime
  private let step = Mutex<Duration>(.zero)

  init(_ time: VirtualTime) { self.time = time }

  var wall: Timestamp { World.start + time.now + step.withLock { $0 } }
  var machine: MachineTime {
    MachineTime(
      wall: wall, monotonic: .seconds(1_000) + time.now,
      uptime: Uptime(boot: "a machine", age: .seconds(100_000) + time.now))
  }

  /// Somebody sets the wall clock.
  func set(by span: Duration) { step.withLock { $0 += span } }

  var machineClock: MachineClock {
    MachineClock(monotonic: { .seconds(1_000) + self.time.now }, reading: { self.machine })
  }
}

/// Random numbers from a seed, for what draws them itself.
struct SeededChance {
  let chance: Chance

  init(_ seed: UInt64) {
    let state = Mutexed(SeededRandom(seed: seed))
    chance = Chance { state.next() }
  }

  private final class Mutexed: Sendable {
    private let random: Mutex<SeededRandom>
    init(_ random: SeededRandom) { self.random = Mutex(random) }
    func next() -> UInt64 { random.withLock { $0.next() } }
  }
}

enum NoMetrics { static let metrics: any MetricsFactory = NOOPMetricsHandler.instance }

/// A log that ends in the trace of a schedule.
struct TraceLog: LogHandler, @unchecked Sendable {
  // Unchecked: a schedule has one thread.
  unowned let world: World
  let name: String
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]

  init(world: World, name: String) { (self.world, self.name) = (world, name) }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    world.trace.say(world.now, name, "\(event.level): \(event.message) \(event.metadata ?? [:])")
  }
}
