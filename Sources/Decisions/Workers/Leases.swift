package import JobModel

/// When the jobs of a silent worker are taken back.
///
/// Times are durations since any fixed moment of a monotonic clock. Lease time counts only while the coordinator itself
/// is healthy: a worker that could not be heard was not silent.
package struct Leases: Hashable, Sendable {
  /// How long a worker may be silent. Another lease counts for a silence that has begun, too.
  package var lease: Duration
  private let presenceInterval: Duration
  /// When each was last heard of.
  private var heard: [WorkerID: Duration] = [:]
  /// No lease began before this moment.
  private var anew: Duration
  private var lastTick: Duration
  private var isPaused = false

  /// A worker expires after `lease` without a presence; it announces itself every `presenceInterval`.
  package init(lease: Duration, presenceInterval: Duration, at start: Duration = .zero) {
    self.lease = lease
    self.presenceInterval = presenceInterval
    self.anew = start
    self.lastTick = start
  }

  /// Ticks further apart than this many presence intervals mean that the coordinator itself stood still.
  package static let stallIntervals = 3
  /// The part of a short lease that is a stall, too. The messages that a worker sent before and during a stall still
  /// fit into its lease then.
  package static let stallPart = 4

  /// The longest time between two ticks that is no stall. A longer silence of all workers is not their fault, either.
  package var stallLimit: Duration { min(presenceInterval * Leases.stallIntervals, lease / Leases.stallPart) }

  /// The worker was heard of.
  package mutating func seen(_ worker: WorkerID, at now: Duration) {
    heard[worker] = max(now, heard[worker] ?? now)
  }

  /// The worker said goodbye.
  package mutating func forget(_ worker: WorkerID) {
    heard[worker] = nil
  }

  /// Every lease begins anew: after the coordinator's own start or reconnect, or a stall.
  package mutating func startAnew(at now: Duration) {
    anew = max(anew, now)
    lastTick = max(lastTick, now)
  }

  /// The coordinator is cut off or blocked: nothing expires until ``resume(at:)``.
  package mutating func pause(at now: Duration) {
    isPaused = true
    lastTick = max(lastTick, now)
  }

  /// The coordinator hears the workers again: every lease begins anew.
  package mutating func resume(at now: Duration) {
    isPaused = false
    startAnew(at: now)
  }

  /// The workers whose lease has passed, each named once; to be called several times per presence interval. After a
  /// stall every lease begins anew instead: the messages that came meanwhile are not read yet.
  package mutating func tick(at now: Duration) -> [WorkerID] {
    let sinceTick = now - lastTick
    lastTick = max(lastTick, now)
    guard !isPaused else { return [] }
    guard sinceTick <= stallLimit else {
      startAnew(at: now)
      return []
    }
    let expired = heard.filter { max($0.value, anew) + lease <= now }.keys.sorted { $0.text < $1.text }
    for worker in expired { heard[worker] = nil }
    return expired
  }
}
