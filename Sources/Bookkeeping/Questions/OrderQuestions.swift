import Decisions
package import JobModel
package import Ledger

extension Bookkeeper {
  /// The most held jobs that a department may have without a place in its order when it comes back as an ordered one while
  /// the coordinator serves. All of them get their place in one turn, and everybody waits for a turn.
  package static let orderedAtOnce = 1_000

  /// The departments that hold more jobs without a place in an order than one turn gives places to.
  package func crowded(_ departments: [Department]) async throws(LedgerError) -> Set<Department> {
    let holding = departments.filter { parts.departments[$0].heldCount > Bookkeeper.orderedAtOnce }
    if holding.isEmpty { return [] }
    return try await ledger.read { ledger in
      Set(try holding.filter { try ledger.heldWithoutOrder(in: $0) > Bookkeeper.orderedAtOnce })
    }
  }
}
