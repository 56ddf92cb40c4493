import Foundation
import GRDB
package import JobModel

/// What a ledger says of itself.
package struct LedgerSummary: Hashable, Sendable {
  package let id: LedgerID
  package let epoch: Int
  /// How many changes its schema has had, from 1.
  package let schema: Int
  /// The size of the file in bytes, without its log.
  package let bytes: Int64
  /// How many jobs of each state are recorded. What retention has removed is not counted.
  package let jobs: [JobState: Int]
}

extension LedgerSummary {
  /// The schema that this version of Teller reads and writes.
  package static var knownSchema: Int { Migrations.migrator.migrations.count }

  /// Looks at the ledger at `path` without changing it, also while a coordinator has it: whose it is, what is in it, and
  /// whether the file contradicts itself.
  ///
  /// It reads the whole file, on a thread of its own. The task may be cancelled.
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
    let row = try statements.first("SELECT id, epoch FROM ledger") { (LedgerID(try $0[0]), try $0[1] as Int) }
    guard let row else { throw Damage(what: "it does not say which ledger it is") }
    (id, epoch) = row
    schema = try statements.first("SELECT count(*) FROM grdb_migrations") ?? 0
    let pages: Int64? = try statements.first("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    bytes = pages ?? 0
    let counts: [(JobState, Int)] = try statements.all("SELECT state, count(*) FROM job GROUP BY state") {
      (try $0[0], try $0[1])
    }
    jobs = Dictionary(counts, uniquingKeysWith: +)
  }
}
