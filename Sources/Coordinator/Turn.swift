import Ledger

/// One turn of the bookkeeper: one transaction of the ledger, and everything that it causes. It is valid only while the
/// transaction goes on.
final class Turn {
  /// What the turn records.
  let ledger: LedgerTransaction
  /// What is told when the turn is recorded, in this order.
  private(set) var outgoing: [Outgoing] = []
  /// What the turn may still publish of jobs that are released.
  var budget = ReleaseBudget()

  init(_ ledger: LedgerTransaction) { self.ledger = ledger }

  func tell(_ item: Outgoing) { outgoing.append(item) }
  func tell(_ items: [Outgoing]) { outgoing += items }
}

/// How many releases, and bytes of payload, one turn publishes, in all departments together: each waits in the outbox.
struct ReleaseBudget: Sendable {
  static let releases = 256
  static let bytes = 2 * 1024 * 1024

  private var count = 0
  private var size = 0

  var hasRoom: Bool { count < ReleaseBudget.releases && size < ReleaseBudget.bytes }

  /// Something was published, or at least read and decided.
  mutating func spend(bytes: Int) {
    count += 1
    size += bytes
  }
}
