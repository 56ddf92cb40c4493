import Foundation
import GRDB
package import JobModel

// How far a ledger has come.
extension LedgerReading {
  /// The number of the last notification; 0: there is none.
  package func lastNotification() throws -> Int64 {
    try read { try Int64.fetchOne($0, sql: "SELECT max(number) FROM notification") ?? 0 }
  }

  /// The number of a job's state, and of its last release; nil: it is not there.
  package func standing(of job: JobID) throws -> (state: Int, release: Int)? {
    try read { database in
      let row = try Row.fetchOne(database, sql: "SELECT state, release FROM job WHERE id = ?", arguments: [job.bytes])
      return row.map { ($0[0], $0[1]) }
    }
  }
}
