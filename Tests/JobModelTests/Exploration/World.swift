import Foundation

@testable import JobModel

/// A small world: one job, two workers with one teller each, a coordinator, a broker. The rules in it are the product's
/// own values; the broker, the wires and the faults are the test's.
struct World {
  static let job = JobID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
  static let ledger = LedgerID("ledger")
  static let ids = [WorkerID("a"), WorkerID("b")]
  /// Enough that the job never ends for want of attempts: the number of an attempt is no part of a state.
  static let attempts = 1_000

  struct Message: Hashable {
    var number: Int
    var redelivered = false
    var flagged = false
  }

  enum WireItem: Hashable {
    case delivery(Message, tag: UInt64)
    case probe(Int)
    case answer(release: ReleaseID, claim: Int, Verdict)
    case welcome
  }

  enum QueuedReport: Hashable {
    case report(number: Int, token: Int)
    case claim(ClaimRequest)
    case fence(Int)
  }

  /// A presence on its way.
  struct Snapshot: Hashable {
    var probe: Int
    var running: [RunningRelease]
    var asksWelcome: Bool
  }

  struct Unacked: Hashable {
    var message: Message
    var tag: UInt64
  }

  struct Worker {
    var isAlive = true
    /// Cut off: the broker has dropped the connection, and the worker still reads what is in its socket.
    var isConnected = true
    /// It has its welcome on this connection.
    var consumes = true
    var tray = Tray()
    /// What the broker has sent, in the order in which it is read.
    var wire: [WireItem] = []
    var unacked: [Unacked] = []
    /// Reports that are published and not yet known to be confirmed.
    var sent: Set<Int> = []
    var presences: [Snapshot] = []
  }

  /// Switched off.
  let off: Set<Rule>
  /// What the first fault may be, what the second, and so on.
  let faultsInTurn: [Set<Fault>]
  /// How often a worker may ask again although its question or the answer is still on its way.
  let maxCrossings: Int

  // The ledger.
  var progress = JobProgress(maxAttempts: World.attempts)
  var isConfirmed = false
  var wasPublished = false
  var welcomed = [true, true]
  /// The last number that any coordinator has used.
  var lastNumber = 0
  // The coordinator's memory.
  var claims: Claims?
  // The broker.
  var queue: [Message] = []
  var reports: [QueuedReport] = []
  var workers = [Worker(), Worker()]
  // What is counted.
  var effects = 0
  /// How often the promise allows one more run.
  var excuses = 0
  var faults = 0
  var crossings = 0

  init(off: Set<Rule>, faults: [Set<Fault>], maxCrossings: Int) {
    self.off = off
    faultsInTurn = faults
    self.maxCrossings = maxCrossings
    _ = progress.apply(.lifted)
    startCoordinator(knowing: World.ids)
  }
}

extension World {
  var releaseID: ReleaseID { ReleaseID(job: World.job, number: progress.release) }

  func has(_ rule: Rule) -> Bool { !off.contains(rule) }

  func isCurrent(_ release: ReleaseID) -> Bool {
    !progress.state.isFinal && release.number == (has(.byRelease) ? progress.release : progress.token)
  }

  /// What a presence says that a worker runs.
  func listed(_ running: [RunningRelease]) -> [ReleaseID] {
    running.map { has(.byRelease) ? $0.release : ReleaseID(job: World.job, number: $0.token) }
  }

  /// Whether the job has ended and nothing can run any more: what is still claimed is dropped.
  var isOver: Bool {
    guard progress.state.isFinal, claims?.isEmpty != false, !queue.contains(where: runsUnclaimed) else { return false }
    return workers.allSatisfy { $0.tray.running.isEmpty && !$0.wire.contains(where: startsRun) }
  }

  func runsUnclaimed(_ message: Message) -> Bool { !has(.claim) || !(message.redelivered || message.flagged) }

  /// A delivery that runs at once, or an answer that lets one run.
  func startsRun(_ item: WireItem) -> Bool {
    switch item {
    case .delivery(let message, _): runsUnclaimed(message)
    case .answer(_, _, .run): true
    case .answer, .probe, .welcome: false
    }
  }

  mutating func startCoordinator(knowing workers: [WorkerID]) {
    var claims = Claims(firstNumber: has(.numbers) ? lastNumber + 1 : 1)
    for worker in workers { claims.welcome(worker) }
    self.claims = claims
  }

  /// What the broker sends to a worker; nothing, if it has no connection.
  mutating func send(_ item: WireItem, to index: Int) {
    guard workers[index].isAlive, workers[index].isConnected else { return }
    if case .probe(let number) = item, workers[index].wire.contains(where: { $0.isProbe(atLeast: number) }) { return }
    workers[index].wire.append(item)
  }

  mutating func ack(_ tag: UInt64?, by index: Int) {
    guard workers[index].isConnected else { return }
    workers[index].unacked.removeAll { $0.tag == tag }
  }
}

extension World.WireItem {
  func isProbe(atLeast number: Int) -> Bool {
    if case .probe(let own) = self { own >= number } else { false }
  }

  func isAnswer(to claim: Int) -> Bool {
    if case .answer(_, let own, _) = self { own == claim } else { false }
  }
}
