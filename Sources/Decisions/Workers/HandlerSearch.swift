package import DequeModule
package import JobModel

/// The kinds whose jobs are held for a handler, and that may have one now; and the kinds without a handler that the log
/// has named.
package final class HandlerSearch {
  /// The most kinds of a department that are looked after at once.
  package static let kindLimit = 10_000
  /// The most kinds without a handler that the log names.
  package static let missingLimit = 100

  /// A queue without a kind: all kinds of its department.
  package private(set) var queues: Deque<JobQueue> = []
  private var known: Set<JobQueue> = []
  package private(set) var missing: Set<JobQueue> = []
  private let departments: Departments
  private let roster: Roster

  package init(_ departments: Departments, _ roster: Roster) {
    (self.departments, self.roster) = (departments, roster)
  }

  /// Looks for held jobs of a kind, which may have a handler now; nil: of every kind.
  package func look(for kind: JobKind?, in department: Department) {
    let queue = JobQueue(department, kind: kind)
    if known.insert(queue).inserted { queues.append(queue) }
  }

  package func looked(after queue: JobQueue) {
    guard queues.first == queue else { return }
    queues.removeFirst()
    known.remove(queue)
  }

  /// Whether jobs of the kind may still be held for a handler, though there is one by now.
  package func isLooking(for kind: JobKind, in department: Department) -> Bool {
    known.contains(JobQueue(department, kind: kind)) || known.contains(JobQueue(department))
  }

  package func forgetAll() { (queues, known) = ([], []) }

  /// A worker names no kinds, and takes what was held; or the last worker that lacks a handler is gone.
  package func lookAround() {
    for (department, books) in departments.books
    where books.unserved > 0 && roster.handlers.hasOneForAll(in: department) {
      look(for: nil, in: department)
    }
    for queue in departments.kindQueues.waiting { look(for: queue.kind, in: queue.department) }
  }

  /// A worker says that it has handlers for these kinds.
  package func look(for kinds: Set<JobKind>?, in departments: Set<Department>) {
    lookAround()
    for department in departments where self.departments[department].unserved > 0 {
      for kind in kinds ?? [] { look(for: kind, in: department) }
    }
  }

  /// There is a handler for the kind now.
  package func found(_ queue: JobQueue) { missing.remove(queue) }

  /// No worker has a handler for the kind. Whether the log is to say so.
  package func isMissing(_ queue: JobQueue) -> Bool {
    missing.count < HandlerSearch.missingLimit && missing.insert(queue).inserted
  }
}
