import Foundation
import Teller

/// Jobs as rows.
enum JobsTable {
  private static let stateColumn = 4

  static func table(_ jobs: [JobRecord], now: Date) -> Table {
    var table = Table("JOB", "KIND", "DEPARTMENT", "PRIO", "STATE", "ATTEMPT", "ACCEPTED", "WAITED", "RAN", "ERROR")
    for job in jobs {
      let cells = [
        job.id.description, job.kind.name, job.department.name, job.priority.description, state(of: job),
        "\(job.attempt)/\(job.maxAttempts)", Moments.relative(job.accepted, now: now),
        job.waited.map(\.inWords) ?? "–", job.ran.map(\.inWords) ?? "–", job.outcome?.failure?.description ?? "",
      ]
      table.add(cells, styles: job.state.style.map { [stateColumn: $0] } ?? [:])
    }
    return table
  }

  /// With what holds the job, if it is held: `held (gate)`.
  private static func state(of job: JobRecord) -> String {
    job.state.rawValue + (job.hold.map { " (\($0.rawValue))" } ?? "")
  }
}
