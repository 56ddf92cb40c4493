package import JobModel

/// A release that was withdrawn, and whose message may still be in its queue. A worker that gets the message may not
/// start it, and until then the release keeps its place in the window.
package struct VoidRecord: Hashable, Sendable {
  package var release: ReleaseID
  /// The job's acceptance number.
  package var number: Int64
  package var department: Department
  /// The priority of its message.
  package var priority: Priority
  package var since: Timestamp
  /// The kind in whose queue its message lies; nil: the message lies in the queue of its department.
  package var kind: JobKind?

  package init(
    release: ReleaseID, number: Int64, department: Department, priority: Priority, since: Timestamp,
    kind: JobKind? = nil
  ) {
    (self.release, self.number, self.department) = (release, number, department)
    (self.priority, self.since, self.kind) = (priority, since, kind)
  }
}

extension LedgerTransaction {
  /// Records that a release is void. One that is void already stays as it is.
  package func addVoid(_ void: VoidRecord) throws {
    try statements.run(
      """
      INSERT INTO void (id, release, job, department, priority, since, kind) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """, void.release.job, void.release.number, void.number, void.department, void.priority, void.since, void.kind)
  }

  /// Forgets a void release; one that is not void is no error.
  package func removeVoid(_ release: ReleaseID) throws {
    try statements.run("DELETE FROM void WHERE id = ? AND release = ?", release.job, release.number)
  }

  /// Every void release. There are not more than the windows of all departments allow.
  package func voids() throws -> [VoidRecord] {
    try statements.all("SELECT id, release, job, department, priority, since, kind FROM void") { row in
      VoidRecord(
        release: ReleaseID(job: try row[0], number: try row[1]), number: try row[2], department: try row[3],
        priority: try row[4], since: try row[5], kind: try row[6])
    }
  }
}
