import GRDB

/// A statement that runs for every job of normal life.
enum HotStatement: Int, CaseIterable {
  case insertJob
  case endJob
  case confirmJob
  case readyJobs
  case heldJob
  case saveJob

  /// Each text is made once.
  var sql: String { Self.texts[rawValue] }

  private static let texts = allCases.map { statement in
    switch statement {
    case .insertJob: LedgerTransaction.insertJob
    case .endJob: LedgerTransaction.endJob
    case .confirmJob: LedgerTransaction.confirmJob
    case .readyJobs: LedgerTransaction.readyJobs
    case .heldJob: LedgerTransaction.heldJob
    case .saveJob: LedgerTransaction.saveJob
    }
  }
}

/// The hot statements of one transaction: each is looked up by its text once, however many jobs there are.
final class HotStatements {
  private let database: Database
  private var prepared = [PreparedStatement?](repeating: nil, count: HotStatement.allCases.count)

  init(_ database: Database) { self.database = database }

  subscript(_ statement: HotStatement) -> PreparedStatement {
    get throws {
      if let prepared = prepared[statement.rawValue] { return prepared }
      let new = PreparedStatement(try database.cachedStatement(sql: statement.sql))
      prepared[statement.rawValue] = new
      return new
    }
  }
}
