/// A queue that assignments wait in: a department's own, or the one beside it for a kind that only some workers can
/// run.
package struct JobQueue: Hashable, Sendable, Comparable {
  package var department: Department
  /// Nil: the department's own.
  package var kind: JobKind?

  package init(_ department: Department, kind: JobKind? = nil) {
    self.department = department
    self.kind = kind
  }

  package static func < (left: JobQueue, right: JobQueue) -> Bool {
    (left.department.name, left.kind?.name ?? "") < (right.department.name, right.kind?.name ?? "")
  }
}
