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

  /// The jobs that rules and webhooks have made.
  package func ruleJobs() throws -> [LedgerRuleJob] {
    try read { database in
      try Row.fetchAll(database, sql: "SELECT rule, cause, depth, notification FROM rule_job ORDER BY job").map { row in
        LedgerRuleJob(
          rule: row[0], cause: (row[1] as Data?).flatMap(JobID.init(bytes:)), depth: row[2], event: row[3])
      }
    }
  }

  /// The level at which a job was accepted, or to which an operator has moved it; nil: there is no such job.
  package func level(of job: JobID) throws -> Int? {
    try read { try Int.fetchOne($0, sql: "SELECT priority FROM job WHERE id = ?", arguments: [job.bytes]) }
  }
}

/// A job that a rule, or a webhook, has made, as the ledger has it.
package struct LedgerRuleJob: Hashable, Sendable {
  /// The rule's name. That of a webhook has the name of its department.
  package var rule: String
  /// The job that it was made of; nil: of something else.
  package var cause: JobID?
  /// At the end of how long a chain it is.
  package var depth: Int
  /// The number of the event that it was made of, and with which it was recorded.
  package var event: Int64

  package init(rule: String, cause: JobID?, depth: Int, event: Int64) {
    (self.rule, self.cause, self.depth, self.event) = (rule, cause, depth, event)
  }
}
