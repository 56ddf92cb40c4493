package import JobModel

/// The jobs that are released and unfinished, and were running at the death of a worker. Those that were running at two
/// or more are suspects; all other suspects wait in the line of their department.
///
/// Of each department one suspect is released at a time. Each is claimed before it runs, so that the start of every one is
/// known; and in one worker no two of them run, whatever their departments are: else nobody could tell which was the
/// cause. For the same reason a suspect waits for those that were running at one death: beside them it would not be the
/// only one that can have been the cause, and would cost one more worker, and them one more interruption.
package struct Suspects: Hashable, Sendable {
  /// Where such a job is.
  package enum Place: Hashable, Sendable {
    /// In its queue, or claimed.
    case queued
    /// It was granted to that worker; nil: nobody knows any more to which.
    case started(on: WorkerID?)
  }

  /// What a suspect waits for.
  package enum Obstacle: Hashable, Sendable {
    /// Another suspect: until it ends.
    case suspect
    /// Only jobs that were running at one death.
    case company
  }

  private struct Entry: Hashable, Sendable {
    var department: Department
    var place: Place
    /// Nil: a suspect. Else it was running at one death, and these serve its department.
    var workers: Set<WorkerID>?

    func isInTheWay(of line: Department, servedBy servers: Set<WorkerID>) -> Bool {
      guard department != line else { return true }
      return switch place {
      // Of suspects the one that starts later goes back.
      case .queued: workers.map { !$0.isDisjoint(with: servers) } ?? false
      case .started(let worker): worker.map(servers.contains) ?? true
      }
    }
  }

  private var entries: [JobID: Entry] = [:]

  package init() {}

  /// A suspect is released, or its place has changed.
  package mutating func put(_ job: JobID, of department: Department, _ place: Place) {
    entries[job] = Entry(department: department, place: place)
  }

  /// A job that was running at one death is released, or its place has changed. `workers`: those that serve its
  /// department.
  package mutating func put(
    company job: JobID, of department: Department, servedBy workers: Set<WorkerID>, _ place: Place
  ) {
    entries[job] = Entry(department: department, place: place, workers: workers)
  }

  /// What keeps the next one of a department's line from being released.
  ///
  /// - Parameters:
  ///   - department: The line's.
  ///   - workers: Those that serve the department. A suspect of another one that runs there would keep it from starting.
  /// - Returns: Nil: its turn has come.
  package func obstacle(to department: Department, servedBy workers: Set<WorkerID>) -> Obstacle? {
    var obstacle: Obstacle?
    for entry in entries.values where entry.isInTheWay(of: department, servedBy: workers) {
      guard entry.workers != nil else { return .suspect }
      obstacle = .company
    }
    return obstacle
  }

  /// Whether a suspect may start there; if not, it goes back to its line.
  package func mayStart(_ job: JobID, on worker: WorkerID) -> Bool {
    entries.allSatisfy { other, entry in
      guard other != job, entry.workers == nil, case .started(let place) = entry.place else { return true }
      return place != nil && place != worker
    }
  }
}
