@testable import Decisions
@testable import JobModel

/// Two workers and a coordinator that keeps their leases, turn by turn of a presence interval, up to a horizon. The
/// leases are the product's own value; the broker, its alarm and the delays are the test's.
///
/// One worker lives all the time and announces itself in every turn. The other one dies.
struct LeaseWorld: SmallWorld {
  enum Rule: String, CaseIterable, Sendable {
    /// The coordinator publishes now and then though it has nothing to say: so the broker tells it of an alarm.
    case pulse
    /// While the broker takes nothing no lease runs, and afterwards every lease begins anew.
    case pause
    /// After a stall of the coordinator every lease begins anew.
    case stall
    /// A coordinator that begins, or comes back, begins a lease for everybody whom the ledger knows.
    case session
  }

  /// What happens once each at most, for any time.
  enum Trouble: String, Hashable, CaseIterable, Sendable {
    /// The broker takes nothing from publishers.
    case alarm
    /// The coordinator stands still.
    case frozen
    /// The coordinator, or its connection, is away; what is sent meanwhile waits in the queue.
    case away
  }

  static let living = WorkerID("living")
  static let dying = WorkerID("dying")
  static let interval: Duration = .seconds(2)
  /// So that gaps of several turns are no stall yet.
  static let leaseIntervals = Leases.stallIntervals * Leases.stallPart
  static let horizon = leaseIntervals + 13
  static let livingExpires = "the lease of a worker that lives has passed"
  static let deadStays = "the lease of a dead worker does not pass"

  let off: Rule?
  /// How many of the troubles there may be, one in the other or one after the other.
  let troubles: Int
  private(set) var turn = 0
  private var leases = Leases(lease: .zero, presenceInterval: .zero)
  private var isPaused = false
  private var present: Set<Trouble> = []
  private var past: Set<Trouble> = []
  private var isDead = false
  /// Presences that the broker has and the coordinator has not read.
  private var queue: Set<WorkerID> = []
  /// What a worker could not get rid of in an alarm, or has sent a moment ago.
  private var underWay: Set<WorkerID> = []
  /// Turns in a row without any trouble, since the dying worker is dead.
  private var calm = 0
  private(set) var expired: Set<WorkerID> = []

  init(troubles: Int = 1, without rule: Rule? = nil) {
    off = rule
    self.troubles = troubles
    begin()
  }

  var violation: String? {
    if expired.contains(LeaseWorld.living) { return LeaseWorld.livingExpires }
    // As long as a lease takes after everything began anew, and the turn in which that is.
    guard calm > LeaseWorld.leaseIntervals + 2, !expired.contains(LeaseWorld.dying) else { return nil }
    return LeaseWorld.deadStays
  }

  var isDone: Bool { turn == LeaseWorld.horizon }

  private var now: Duration { LeaseWorld.interval * turn }

  /// All that one turn can be.
  func next() -> [(step: String, world: LeaseWorld)] {
    guard !isDone else { return [] }
    return changes().flatMap { change -> [(step: String, world: LeaseWorld)] in
      // Presence and time are looked after by two tasks; a presence may be late by a turn.
      [false, true].flatMap { isLate in
        [false, true].map { readsFirst in
          var world = change.world
          world.takeTurn(isLate: isLate, readsFirst: readsFirst)
          return ("\(change.step)\(isLate ? " late" : "")\(readsFirst ? " read first" : "")", world)
        }
      }
    }
  }

  /// Troubles begin and end, and the worker dies, between turns.
  private func changes() -> [(step: String, world: LeaseWorld)] {
    var changes = [(step: "\(turn):", world: self)]
    for trouble in Trouble.allCases {
      changes += changes.flatMap { change -> [(step: String, world: LeaseWorld)] in
        var world = change.world
        guard world.toggle(trouble) else { return [] }
        return [("\(change.step) \(trouble) \(world.present.contains(trouble) ? "begins" : "ends")", world)]
      }
    }
    guard !isDead else { return changes }
    return changes
      + changes.map { change in
        var world = change.world
        world.isDead = true
        return (change.step + " death", world)
      }
  }

  private mutating func toggle(_ trouble: Trouble) -> Bool {
    if present.remove(trouble) != nil {
      if trouble == .away { begin() }
      return true
    }
    guard past.count < troubles, past.insert(trouble).inserted else { return false }
    present.insert(trouble)
    return true
  }

  /// A session begins: with the workers that the ledger knows.
  private mutating func begin() {
    isPaused = false
    leases = Leases(
      lease: LeaseWorld.interval * LeaseWorld.leaseIntervals, presenceInterval: LeaseWorld.interval, at: now)
    guard off != .session || turn == 0 else { return }
    for worker in [LeaseWorld.living, LeaseWorld.dying] where !expired.contains(worker) { leases.seen(worker, at: now) }
  }

  private mutating func takeTurn(isLate: Bool, readsFirst: Bool) {
    send(isLate: isLate)
    if !present.contains(.frozen), !present.contains(.away) {
      if readsFirst { read() }
      tick()
      if !readsFirst { read() }
    }
    calm = present.isEmpty && isDead ? calm + 1 : 0
    turn += 1
  }

  private mutating func send(isLate: Bool) {
    let sent: Set<WorkerID> = isDead ? [LeaseWorld.living] : [LeaseWorld.living, LeaseWorld.dying]
    guard !present.contains(.alarm) else { return underWay.formUnion(sent) }
    queue.formUnion(underWay)
    underWay = []
    if isLate { underWay = sent } else { queue.formUnion(sent) }
  }

  private mutating func read() {
    for worker in queue where !expired.contains(worker) { leases.seen(worker, at: now) }
    queue = []
  }

  private mutating func tick() {
    // Its own pulse is not taken either, and that is how it learns of the alarm.
    let isBlocked = present.contains(.alarm) && off != .pulse
    if isBlocked != isPaused {
      isPaused = isBlocked
      if off != .pause { isBlocked ? leases.pause(at: now) : leases.resume(at: now) }
    }
    if off == .stall { tickThroughGap() }
    expired.formUnion(leases.tick(at: now))
  }

  /// Without `stall`: as if it had looked at the time all the while.
  private mutating func tickThroughGap() {
    for earlier in 0..<turn { expired.formUnion(leases.tick(at: LeaseWorld.interval * earlier)) }
  }
}
