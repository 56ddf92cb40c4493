package import JobModel

/// A release that no worker may start when it comes fresh from its queue, and that keeps its place in its window.
package struct VoidRecord: Hashable, Sendable {
  package var release: ReleaseID
  /// The job's acceptance number.
  package var number: Int64
  package var department: Department
  /// That it was released with.
  package var priority: Priority
  package var since: Timestamp
  /// In the queue of which kind its message lies; nil: in its department's.
  package var kind: JobKind?

  package init(
    release: ReleaseID, number: Int64, department: Department, priority: Priority, since: Timestamp,
    kind: JobKind? = nil
  ) {
    self.kind = kind
    self.release = release
    self.number = number
    self.department = department
    self.priority = priority
    self.since = since
  }
}

extension LedgerTransaction {
  /// A release is void from now on. One that is void already stays as it is.
  package func addVoid(_ void: VoidRecord) throws {
    try statements.run(
      """
      INSERT INTO void (id, release, job, department, priority, since, kind) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """,
      void.release.job, void.release.number, void.number, void.department, void.priority,
      void.since, void.kind)
  }

  /// Nobody has to remember a release any more; one that is not void is no error.
  package func removeVoid(_ release: ReleaseID) throws {
    try statements.run("DELETE FROM void WHERE id = ? AND release = ?", release.job, release.number)
  }

  /// Every void release. As many as the windows of all departments at most.
  package func voids() throws -> [VoidRecord] {
    try statements.all("SELECT id, release, job, department, priority, since, kind FROM void") { cells in
      VoidRecord(
        release: ReleaseID(job: try cells[0], number: try cells[1]), number: try cells[2],
        department: try cells[3], priority: try cells[4], since: try cells[5],
        kind: try cells[6])
    }
  }
}
