import GRDB
import Synchronization

@testable import Ledger

/// Counts the statements that a ledger's writer runs.
final class CountedStatements: Sendable {
  private let statements = Mutex<[String]>([])

  /// Those that run while `body` does.
  static func during(_ ledger: Ledger, _ body: () async throws -> Void) async throws -> [String] {
    let counted = CountedStatements()
    counted.trace(ledger, isOn: true)
    try await body()
    counted.trace(ledger, isOn: false)
    return counted.statements.withLock { $0 }
  }

  private func trace(_ ledger: Ledger, isOn: Bool) {
    ledger.pool.writeWithoutTransaction { database in
      guard isOn else { return database.trace(options: []) }
      database.trace { event in self.statements.withLock { $0.append(event.description) } }
    }
  }
}
