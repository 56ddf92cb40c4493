import Foundation
import GRDB
import JobModel

/// Reads a ledger as another program would: with SQL of its own, on a connection that cannot write, while the coordinator
/// goes on.
struct LedgerReading {
  private let file: DatabaseQueue

  init(_ file: URL) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    self.file = try DatabaseQueue(path: file.path, configuration: configuration)
  }

  /// The ids of what was accepted, and how many of them have no outcome yet.
  func progress() throws -> (accepted: Set<JobID>, open: Int) {
    try file.read { database in
      let ids = try Data.fetchAll(database, sql: "SELECT id FROM job").compactMap(JobID.init(bytes:))
      return (Set(ids), try Int.fetchOne(database, sql: "SELECT count(*) FROM job WHERE state < 2") ?? 0)
    }
  }

  /// Everything that the checker looks at.
  func findings() throws -> LedgerFindings {
    try file.read { database in
      var findings = LedgerFindings()
      findings.integrity = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
      findings.danglingRows = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").count
      findings.sequence = try sequence(database)
      findings.jobs = try jobs(database)
      return findings
    }
  }

  private func sequence(_ database: Database) throws -> (Int, Int, Int) {
    let row = try Row.fetchOne(database, sql: "SELECT min(seq), max(seq), count(*) FROM notification")
    return (row?[0] ?? 1, row?[1] ?? 0, row?[2] ?? 0)
  }

  private func jobs(_ database: Database) throws -> [JobID: LedgerFindings.Job] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT id, state, attempt, finished_at IS NOT NULL,
          (SELECT count(*) FROM notification WHERE notification.job = job.number AND event BETWEEN 2 AND 4)
        FROM job
        """)
    return rows.reduce(into: [:]) { jobs, row in
      guard let bytes = row[0] as Data?, let id = JobID(bytes: bytes) else { return }
      jobs[id] = LedgerFindings.Job(state: row[1], attempt: row[2], hasEnd: row[3], notifications: row[4])
    }
  }
}

extension JobID {
  /// An id as the ledger keeps it: sixteen bytes.
  fileprivate init?(bytes: Data) {
    guard bytes.count == 16 else { return nil }
    let uuid = bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
    self.init(UUID(uuid: uuid))
  }
}
