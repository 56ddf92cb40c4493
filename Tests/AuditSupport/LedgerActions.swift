import Foundation
import GRDB
package import JobModel

// What was done by hand, what rules have made, and who follows, as the ledger has it.
extension LedgerReading {
  /// Who has given the commands that are on record: the name that each carried, and the user of the broker.
  package func authors() throws -> [(by: String?, user: String?)] {
    try read { database in
      try Row.fetchAll(database, sql: "SELECT DISTINCT by_name, user FROM action ORDER BY 1, 2")
        .map { (by: $0[0] as String?, user: $0[1] as String?) }
    }
  }

  /// The states of the jobs that rules have made of what happened to a job.
  package func states(ofJobsCausedBy job: JobID) throws -> [Int] {
    try read { database in
      try Int.fetchAll(
        database, sql: "SELECT state FROM rule_job JOIN job ON job.number = rule_job.job WHERE cause = ?",
        arguments: [job.bytes])
    }
  }

  /// The subscribers that keep their places.
  package func subscribers() throws -> Set<String> {
    try read { Set(try String.fetchAll($0, sql: "SELECT name FROM subscriber")) }
  }

  /// The deliveries of webhooks: of what happened to which job, and of what kind that is.
  package func deliveries() throws -> [(cause: JobID?, kind: String?)] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT rule_job.cause, other.kind FROM rule_job JOIN job ON job.number = rule_job.job
            LEFT JOIN job AS other ON other.id = rule_job.cause
          WHERE job.kind = 'webhook'
          """
      ).map { (cause: ($0[0] as Data?).flatMap(JobID.init(bytes:)), kind: $0[1] as String?) }
    }
  }
}
