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
      let row = rows.first { names.contains($0[1] ?? "") }
      return (row?[0] as Data?).flatMap(JobID.init(bytes:))
    }
  }
}
