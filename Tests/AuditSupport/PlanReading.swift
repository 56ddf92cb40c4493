import Foundation
import GRDB
package import JobModel

// What must hold of plans after every turn, as the ledger has it.
extension LedgerReading {
  /// The job of an event that is held in the order before the run of its plan that is under way; nil: there is none.
  /// Whatever is left of earlier runs has its turn in that run.
  package func eventBeforeRun() throws -> JobID? {
    try read { database in
      let id = try Data.fetchOne(
        database,
        sql: """
          SELECT job.id FROM plan_phase JOIN plan ON plan.id = plan_phase.run
            JOIN job ON job.department = plan.department AND job.order_plan < plan.number
            JOIN event ON event.id = job.id AND event.plan = plan_phase.name
          WHERE plan_phase.phase = 'running' AND job.state = 0 AND job.round = 0 LIMIT 1
          """)
      return id.flatMap(JobID.init(bytes:))
    }
  }

  /// A step of the same plan that has failed, stands before that job, and has its plan go back; nil: there is none.
  /// `names`: of the steps that do, when they fail with the code.
  package func returning(before job: JobID, on code: String, names: Set<String>) throws -> JobID? {
    try read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT other.id, other.step FROM job JOIN plan ON plan.id = job.plan AND plan.state IS NULL
            JOIN job AS other ON other.plan = job.plan
          WHERE job.id = ? AND job.state = 1 AND job.round > 0 AND other.round > 0 AND other.state = 3
            AND other.error_code = ? AND other.order_rank < job.order_rank
            AND NOT EXISTS (
              SELECT 1 FROM job AS later
              WHERE later.plan = other.plan AND later.step = other.step AND later.round > other.round)
          """, arguments: [job.bytes, code])
      guard let row = rows.first(where: { names.contains(($0[1] as String?) ?? "") }) else { return nil }
      return (row[0] as Data?).flatMap(JobID.init(bytes:))
    }
  }

  /// Whether the gates of a plan of the configuration are open; one that was never started has them shut.
  package func areGatesOpen(of plan: String) throws -> Bool {
    try read { database in
      try Bool.fetchOne(database, sql: "SELECT gates_open FROM plan_phase WHERE name = ?", arguments: [plan]) ?? false
    }
  }

  /// The name of the plan whose last run has that id, whether it runs, and where; nil: there is none.
  package func lastRun(_ run: JobID) throws -> (name: String, isRunning: Bool, department: String)? {
    try read { database in
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT plan_phase.name, plan_phase.phase, plan.department FROM plan_phase JOIN plan ON plan.id = plan_phase.run
          WHERE plan.id = ?
          """, arguments: [run.bytes])
      guard let row, let name: String = row[0], let phase: String = row[1], let department: String = row[2] else {
        return nil
      }
      return (name, phase == "running", department)
    }
  }

  /// Whether a job acts on an event.
  package func isOfEvent(_ job: JobID) throws -> Bool {
    try read { database in
      try Int.fetchOne(database, sql: "SELECT round FROM job WHERE id = ?", arguments: [job.bytes]) == 0
    }
  }

  /// The number of the state of a plan that has ended; nil: it has not, or is not there.
  package func endState(of plan: JobID) throws -> Int? {
    try read { try Int.fetchOne($0, sql: "SELECT state FROM plan WHERE id = ?", arguments: [plan.bytes]) }
  }
}
