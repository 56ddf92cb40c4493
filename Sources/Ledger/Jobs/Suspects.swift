import GRDB
package import JobModel

extension LedgerTransaction {
  /// The job of a department's line of suspects that goes first, with all that it carries: of those that were running at
  /// the fewest deaths the one that stands first. Nil when none waits.
  package func nextSuspect(of department: Department) throws -> HeldJob? {
    let number: Int64? = try statements.first(
      """
      SELECT number FROM job INDEXED BY job_suspect
      WHERE state = 0 AND withheld = 2 AND department = ? ORDER BY deaths, standing, number LIMIT 1
      """, department)
    return try number.flatMap { try held($0) }
  }
}

extension Migrations {
  /// At how many deaths of workers a job was running, and the lines of those that have to wait for their turn because of
  /// it.
  static func countDeaths(in database: Database) throws {
    try database.execute(
      sql: """
        ALTER TABLE job ADD COLUMN deaths INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX job_suspect ON job (department, deaths, standing) WHERE state = 0 AND withheld = 2;
        """)
  }
}
