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
  /// What is in the copy.
  private var reading: AuditSupport.LedgerReading?
  /// The first machine is lost as soon as something is recorded there alone.
  var isDoomed = false

  init(of node: CoordinatorNode) {
    (self.node, file) = (node, node.file)
    path = node.file.path + "-second"
  }

  /// The copy is there.
  private var isReady = false

  var isAllSafe: Bool { isReady && safe >= lastShipped }
  /// What is in the copy; nil: there is none yet.
  var copied: AuditSupport.LedgerReading? { isReady ? reading : nil }

  /// A coordinator begins: after a while the copy is made anew from the ledger as that is then. Until then nothing is safe.
  func begin() {
    generation += 1
    (isReady, waiting) = (false, [])
    node.after(.zero, "waits for its second ledger") { [self] in try await checkWaiting() }
    node.after(.milliseconds(node.world.number(1...300)), "has its ledger copied") { [self] in try copy() }
  }

  private func copy() throws {
    closeCopy()
    generation += 1
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    try file.copy(to: path)
    ledger = try Ledger(path: path)
    reading = try AuditSupport.LedgerReading(URL(fileURLWithPath: path))
    (isReady, safe) = (true, 0)
    lastShipped = try file.reading.turn()
    try isSafe(lastShipped)
  }

  /// A turn was recorded: it is on its way.
  func ship(_ changes: ChangeSet) {
    lastShipped = changes.turn
    guard isReady else { return }
    let (generation, world) = (generation, node.world)
    if isDoomed, !world.isHealed {
      isDoomed = false
      world.after(world.span(1...1_500), nil, "loses its machine") { [world] in try world.loseMachine() }
    }
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
    guard node.world.chance(20) else { return }
    node.after(.zero, "waits for its second ledger") { [self] in try await checkWaiting() }
  }

  /// As long as the copy lacks something, whoever waits until all is safe waits on: here it gives up at once.
  private func checkWaiting() async throws {
    guard let books = node.opened, try lacksSomething() else { return }
    let waiter = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await books.waitUntilSafe()
    }
    guard case .success = await waiter.result else { return }
    node.world.failures.append("\(node.name) takes for safe what its second ledger does not have")
  }

  private func lacksSomething() throws -> Bool {
    if isReady { return safe < lastShipped }
    return try file.reading.turn() > 0
  }

  /// The coordinator's process has ended: nobody waits any more.
  func forgetWaiting() { waiting = [] }

  /// There is something to go on with.
  var hasCopy: Bool { FileManager.default.fileExists(atPath: path) }

  /// The first machine is lost: its ledger is what has arrived here.
  func replaceFirst() throws {
    closeCopy()
    isReady = false
    generation += 1
    try file.take(from: path)
  }

  func close() { closeCopy() }

  /// The reader first: whoever closes the file last tidies it up.
  private func closeCopy() {
    try? reading?.close()
    try? ledger?.close()
    (reading, ledger) = (nil, nil)
  }
}
