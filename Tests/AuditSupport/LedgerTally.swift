package import JobModel
import Foundation
import GRDB

/// How many jobs of a department are in which state, as the ledger has them.
package struct LedgerTally: Hashable, Sendable {
  package var held = 0
  package var delayed = 0
  package var retrying = 0
  package var dependent = 0
  package var unserved = 0
  package var suspects = 0
  package var released = 0
  package var succeeded = 0
  package var failed = 0
  package var cancelled = 0
  package var unsettled = 0
  package var void = 0

  package init() {}
}

/// An open job, as the ledger has it.
package struct LedgerOpenJob: Hashable, Sendable {
  package var id: JobID
  package var isHeld: Bool
  package var hasTime: Bool
  package var openDependencies: Int
  package var withheld: Int
  /// How its last attempt on record has ended.
  package var lastAttempt: String?
}

extension LedgerReading {
  package func tallies() throws -> [Department: LedgerTally] {
    try read { database in
      var tallies: [Department: LedgerTally] = [:]
      for row in try Row.fetchAll(database, sql: Self.tallyStatement) {
        guard let name: String = row[0], let department = Department(name) else { continue }
        var tally = LedgerTally()
        (tally.held, tally.released) = (row[1], row[2])
        (tally.succeeded, tally.failed, tally.cancelled) = (row[3], row[4], row[5])
        (tally.retrying, tally.delayed, tally.dependent) = (row[6], row[7], row[8])
        (tally.unserved, tally.suspects, tally.unsettled) = (row[9], row[10], row[11])
        tallies[department] = tally
      }
      for row in try Row.fetchAll(database, sql: "SELECT department, count(*) FROM void GROUP BY department") {
        if let name: String = row[0], let department = Department(name) {
          tallies[department, default: LedgerTally()].void = row[1]
        }
      }
      return tallies
    }
  }

  private static let tallyStatement = """
    SELECT department, sum(state = 0), sum(state = 1), sum(state = 2), sum(state = 3), sum(state = 4),
      sum(state = 0 AND not_before IS NOT NULL AND attempt > 1), sum(state = 0 AND not_before IS NOT NULL AND attempt <= 1),
      sum(state = 0 AND not_before IS NULL AND open_dependencies > 0),
      sum(state = 0 AND not_before IS NULL AND open_dependencies = 0 AND withheld = 1),
      sum(state = 0 AND not_before IS NULL AND open_dependencies = 0 AND withheld = 2),
      sum(state = 3 AND settlement IS NULL)
    FROM job GROUP BY department
    """

  /// How many jobs of a department and a kind are held, and how many are released.
  package func counts(of department: Department, _ kind: JobKind) throws -> (held: Int, released: Int) {
    try read { database in
      let row = try Row.fetchOne(
        database,
        sql: "SELECT ifnull(sum(state = 0), 0), ifnull(sum(state = 1), 0) FROM job WHERE department = ? AND kind = ?",
        arguments: [department.name, kind.name])
      return (row?[0] ?? 0, row?[1] ?? 0)
    }
  }

  /// How many jobs are released to queues of kinds, and at how many levels.
  package func beside() throws -> [(department: String, kind: String, jobs: Int, levels: Int)] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT department, kind, count(*), count(DISTINCT priority) FROM job WHERE state = 1 AND beside = 1
          GROUP BY department, kind
          """
      ).map { ($0[0], $0[1], $0[2], $0[3]) }
    }
  }

  package func openRows() throws -> [LedgerOpenJob] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT id, state, not_before IS NOT NULL, open_dependencies, withheld,
            (SELECT result FROM attempt WHERE attempt.job = job.number ORDER BY attempt.number DESC LIMIT 1)
          FROM job WHERE state < 2 ORDER BY number
          """
      ).compactMap { row in
        guard let id = (row[0] as Data?).flatMap(JobID.init(bytes:)) else { return nil }
        return LedgerOpenJob(
          id: id, isHeld: row[1] == 0, hasTime: row[2], openDependencies: row[3], withheld: row[4], lastAttempt: row[5])
      }
    }
  }

  /// A job of the same plan that is released, of a round before that of this job; nil: there is none.
  package func releasedOfEarlierRound(than job: JobID) throws -> JobID? {
    try read { database in
      let id = try Data.fetchOne(
        database,
        sql: """
          SELECT other.id FROM job JOIN job AS other ON other.plan = job.plan
          WHERE job.id = ? AND other.state = 1 AND other.round > 0 AND other.round < job.round LIMIT 1
          """, arguments: [job.bytes])
      return id.flatMap(JobID.init(bytes:))
    }
  }

  /// A job of the same sort that came before and waits for room alone; nil: there is none. One that is held for a handler
  /// may be overtaken where there is no worker left: the next one may lack the handler, too.
  package func overtaken(by job: JobID) throws -> JobID? {
    try read { database in
      let id = try Data.fetchOne(
        database,
        sql: """
          SELECT other.id FROM job JOIN job AS other
            ON other.department = job.department AND other.kind = job.kind AND other.priority = job.priority
          WHERE job.id = ? AND job.order_plan IS NULL AND other.order_plan IS NULL AND other.state = 0
            AND other.not_before IS NULL AND other.open_dependencies = 0 AND (other.withheld = 0 OR other.withheld = 1 AND job.beside = 1)
            AND other.number < job.number AND other.release = 0 LIMIT 1
          """, arguments: [job.bytes])
      return id.flatMap(JobID.init(bytes:))
    }
  }

  /// Of a job that was running at two deaths or more: those of other departments that were running at one, and are in
  /// their queues.
  package func company(of job: JobID) throws -> [JobID] {
    try read { database in
      try Data.fetchAll(
        database,
        sql: """
          SELECT other.id FROM job JOIN job AS other ON other.department <> job.department
          WHERE job.id = ? AND job.deaths > 1 AND other.state = 1 AND other.deaths = 1 AND other.token = other.release
          """, arguments: [job.bytes]
      ).compactMap(JobID.init(bytes:))
    }
  }

  /// The turn of a job in an ordered department.
  package func order(of job: JobID) throws -> LedgerFindings.Order? {
    try read { database in
      let row = try Row.fetchOne(
        database, sql: "SELECT order_plan, order_rank FROM job WHERE id = ?", arguments: [job.bytes])
      guard let row, let plan: Int = row[0], let rank: Int = row[1] else { return nil }
      return LedgerFindings.Order(plan: plan, rank: rank)
    }
  }

  /// At how many deaths of workers a job was running, as far as is recorded.
  package func deaths(of job: JobID) throws -> Int {
    try read { try Int.fetchOne($0, sql: "SELECT deaths FROM job WHERE id = ?", arguments: [job.bytes]) ?? 0 }
  }

  /// Whether a worker has acked the message of a job that it runs.
  package func isAdopted(_ job: JobID) throws -> Bool {
    try read { database in
      try Bool.fetchOne(
        database, sql: "SELECT adopted_by IS NOT NULL FROM job WHERE id = ?", arguments: [job.bytes]) ?? false
    }
  }

  /// How many releases are void whose messages are in the queue of a kind.
  package func void(in department: Department, of kind: JobKind) throws -> Int {
    try read { database in
      try Int.fetchOne(
        database, sql: "SELECT count(*) FROM void WHERE department = ? AND kind = ?",
        arguments: [department.name, kind.name]) ?? 0
    }
  }

  /// The releases that are void, for people.
  package func void() throws -> [String] {
    try read { database in
      try Row.fetchAll(database, sql: "SELECT id, release, department, kind FROM void ORDER BY job").map { row in
        let id = (row[0] as Data?).flatMap(JobID.init(bytes:))?.description ?? "?"
        return "\(id)/\(row[1] as Int) in \(row[2] as String) \(row[3] as String? ?? "")"
      }
    }
  }

  /// How many turns have changed the ledger.
  package func turn() throws -> Int64 {
    try read { try Int64.fetchOne($0, sql: "SELECT turn FROM ledger") ?? 0 }
  }

  /// Whether the departments behind the gates of a plan are shut.
  package func isShut(_ plan: String) throws -> Bool {
    try read { database in
      try Bool.fetchOne(
        database, sql: "SELECT gates_open = 0 FROM plan_phase WHERE name = ? AND has_gates = 1", arguments: [plan])
        ?? false
    }
  }
}
