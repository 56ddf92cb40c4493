import Decisions
import JobModel
import Ledger

/// Which workers there are, and since when each has been silent. The pure half of presence.
struct Attendance: Sendable {
  /// One worker, as it last announced itself.
  struct Entry: Sendable {
    var name: String
    var tellers: [String: Int]
    var session: Int
    /// The user of the broker who announced it first, empty when that message named none; nil: not known.
    var owner: String?
    /// What it was told to have in place of its own numbers.
    var wanted: [String: Int] = [:]
    var paused: [String] = []
    /// By department: how many of its tellers serve the queue of a kind.
    var beside: [String: [JobKind: Int]] = [:]
    var running: [RunningRelease] = []
    /// Monotonic; nil: not heard since this coordinator began.
    var lastSeen: Duration?
  }

  private(set) var workers: [WorkerID: Entry] = [:]
  private(set) var isPaused = false
  private var leases: Leases

  /// A longer silence of all is no worker's fault.
  var stallLimit: Duration { leases.stallLimit }

  /// How often a worker announces itself.
  static let presenceInterval: Duration = .seconds(2)

  init(lease: Duration) {
    leases = Leases(lease: lease, presenceInterval: Attendance.presenceInterval)
  }

  /// A new session: the workers are those of the ledger, and every lease starts anew.
  mutating func begin(at now: Duration) {
    workers = [:]
    resume(at: now)
  }

  mutating func expect(_ worker: WorkerRecord, at now: Duration) {
    workers[worker.id] = Entry(
      name: worker.name, tellers: worker.tellers, session: worker.session, owner: worker.owner,
      wanted: worker.wanted)
    leases.seen(worker.id, at: now)
  }

  /// Whether the worker is one that was welcomed.
  func isWelcome(_ worker: WorkerID) -> Bool { workers[worker] != nil }

  mutating func saw(_ presence: Presence, at now: Duration) {
    workers[presence.worker] = Entry(
      name: presence.name, tellers: presence.tellers, session: presence.session,
      owner: workers[presence.worker]?.owner, wanted: workers[presence.worker]?.wanted ?? [:], paused: presence.paused,
      beside: presence.beside, running: presence.running,
      lastSeen: now)
    leases.seen(presence.worker, at: now)
  }

  mutating func want(_ tellers: [String: Int], of worker: WorkerID) { workers[worker]?.wanted = tellers }

  mutating func forget(_ worker: WorkerID) -> Entry? {
    leases.forget(worker)
    return workers.removeValue(forKey: worker)
  }

  /// Nobody can be heard now: time does not count.
  mutating func pause(at now: Duration) {
    isPaused = true
    leases.pause(at: now)
  }

  mutating func resume(at now: Duration) {
    isPaused = false
    leases.resume(at: now)
  }

  /// The workers whose lease has passed.
  mutating func tick(at now: Duration) -> [WorkerID] { leases.tick(at: now) }
}
