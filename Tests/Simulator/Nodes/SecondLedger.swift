import AuditSupport
import Bookkeeping
import Foundation
import GRDB
import Ledger

/// A copy of a coordinator's ledger on another machine, which gets what each turn writes. What a turn causes may leave only
/// when the copy has the turn: so nobody notices when the first machine is lost for good.
final class SecondLedger {
  private let file: LedgerCopy
  private let path: String
  private var ledger: Ledger?
  private unowned let node: CoordinatorNode
  /// Counts how often it was made anew: what was on its way to an earlier copy is of no use.
  private var generation = 0
  private var lastArrival: Duration = .zero
  private(set) var lastShipped: Int64 = 0
  private(set) var safe: Int64 = 0
  private var waiting: [(turn: Int64, body: () throws -> Void)] = []

  init(of node: CoordinatorNode) {
    (self.node, file) = (node, node.file)
    path = node.file.path + "-second"
  }

  /// The copy is there.
  private var isReady = false

  var isAllSafe: Bool { isReady && safe >= lastShipped }

  /// A coordinator begins: after a while the copy is made anew from the ledger as that is then. Until then nothing is safe.
  func begin() {
    generation += 1
    (isReady, waiting) = (false, [])
    node.after(.milliseconds(node.world.number(1...300)), "has its ledger copied") { [self] in try copy() }
  }

  private func copy() throws {
    try? ledger?.close()
    generation += 1
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    try file.copy(to: path)
    ledger = try Ledger(path: path)
    (isReady, safe) = (true, 0)
    lastShipped = try file.reading.turn()
    try isSafe(lastShipped)
  }

  /// A turn was recorded: it is on its way.
  func ship(_ changes: ChangeSet) {
    lastShipped = changes.turn
    guard isReady else { return }
    let (generation, world) = (generation, node.world)
    lastArrival = max(lastArrival, world.now + world.span(20...(world.chance(90) ? 900 : 300_000)))
    world.after(lastArrival - world.now, nil, "a second ledger gets turn \(changes.turn)") { [self] in
      guard generation == self.generation, let ledger else { return }
      try ledger.apply(changes)
      node.after(world.span(20...900), "hears that turn \(changes.turn) is safe") { [self] in
        if generation == self.generation, node.opened != nil { try isSafe(changes.turn) }
      }
    }
  }

  private func isSafe(_ turn: Int64) throws {
    safe = max(safe, turn)
    try node.withBooks { $0.turnsAreSafe(upTo: turn) }
    while let first = waiting.first, first.turn <= safe, isReady {
      waiting.removeFirst()
      try first.body()
    }
    node.follow()
  }

  /// Does that when everything is safe that is recorded by now.
  func whenSafe(_ body: @escaping () throws -> Void) throws {
    if isAllSafe { return try body() }
    waiting.append((isReady ? lastShipped : 0, body))
  }

  /// The coordinator's process has ended: nobody waits any more.
  func forgetWaiting() { waiting = [] }

  /// There is something to go on with.
  var hasCopy: Bool { FileManager.default.fileExists(atPath: path) }

  /// The first machine is lost: its ledger is what has arrived here.
  func replaceFirst() throws {
    try? ledger?.close()
    (ledger, isReady) = (nil, false)
    generation += 1
    try file.take(from: path)
  }

  func close() { try? ledger?.close() }
}
