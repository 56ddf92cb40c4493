import Foundation
import GRDB
package import JobModel

/// What a ledger says of itself.
package struct LedgerSummary: Hashable, Sendable {
  package let id: LedgerID
  package let epoch: Int
  /// The number of its schema.
  package let schema: Int
  /// The size of the file in bytes, without its log.
  package let bytes: Int64
  /// How many jobs of each state are recorded. What retention has removed is not counted.
  package let jobs: [JobState: Int]
}

extension LedgerSummary {
  /// The schema that this version of Teller reads and writes.
  package static var knownSchema: Int { Migrations.last }

  /// Looks at the ledger at `path`, also while a coordinator has it: which ledger it is, what is in it, and whether the
  /// file contradicts itself. Nothing is changed.
  ///
  /// This reads the whole file, on a thread that may be blocked. The task may be cancelled.
  ///
  /// - Throws: ``BackupError``.
  package static func check(_ path: String) async throws(BackupError) -> LedgerSummary {
    let stop = ReadStop()
    do {
      return try await stop.onThread {
        let reader = try LedgerReader.open(path)
        return try stop.watching(reader) {
          try reader.read { database in
            if let problem = try LedgerReader.problem(of: database) {
              throw LedgerError.corrupt(path: path, reason: problem)
            }
            return try LedgerSummary(database, path: path)
          }
        }
      }
    } catch {
      throw BackupError(reading: path, error)
    }
  }

  init(_ database: Database, path: String) throws {
    let statements = Statements(database)
    (id, epoch) = try LedgerFile.identity(statements)
    schema = try LedgerFile.schema(statements)
    bytes = try statements.first("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size") ?? 0
    jobs = try statements.dictionary("SELECT state, count(*) FROM job GROUP BY state")
  }
}

/// What a ledger says of itself without being read as a whole.
package struct LedgerGlance: Hashable, Sendable {
  package let id: LedgerID
  package let epoch: Int
  /// The number of its schema.
  package let schema: Int
  /// Where its clock stood; nil: it never had one.
  package let clock: LedgerClock.Record?

  /// Looks at the ledger at `path`, also while a coordinator has it, on a thread that may be blocked. Nothing is changed.
  ///
  /// - Throws: ``BackupError``.
  package static func look(at path: String) async throws(BackupError) -> LedgerGlance {
    let stop = ReadStop()
    do {
      return try await stop.onThread {
        let reader = try LedgerReader.open(path)
        return try stop.watching(reader) { try reader.read { try LedgerGlance($0) } }
      }
    } catch {
      throw BackupError(reading: path, error)
    }
  }

  private init(_ database: Database) throws {
    let statements = Statements(database)
    (id, epoch) = try LedgerFile.identity(statements)
    schema = try LedgerFile.schema(statements)
    clock = schema == Migrations.last ? try LedgerClock.Record(statements) : nil
  }
}
