package import JobModel

/// The released jobs that were running at the death of a worker. A job that was running at two deaths or more is a
/// suspect; a job that was running at one death is company.
///
///     deaths while the job ran:   0 ─▶ released as always
///                                 1 ─▶ company: released as always, and suspects wait for it
///                                 2 ─▶ suspect: waits in the line of its department until nothing of the above runs
///
/// Each department releases one suspect at a time. A suspect is claimed before it runs, so its start is known; and no
/// two suspects run in one worker, also of different departments: else nobody could tell which of them ended the
/// worker.
package struct Suspects: Hashable, Sendable {
  /// Where such a job is.
  package enum Place: Hashable, Sendable {
    /// The job is in its queue, or claimed.
    case queued
    /// The job was granted to the worker; nil: nobody knows to which worker.
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
    /// The workers that serve the department of company; nil: the job is a suspect.
    var workers: Set<WorkerID>?

    func isInTheWay(of line: Department, servedBy servers: Set<WorkerID>) -> Bool {
      guard department != line else { return true }
      return switch place {
      // Of two suspects the one that starts later goes back to its line.
      case .queued: workers.map { !$0.isDisjoint(with: servers) } ?? false
      case .started(let worker): worker.map(servers.contains) ?? true
      }
    }
  }

  private var entries: [JobID: Entry] = [:]

  /// A job is released, or its place has changed. `workers`: those that serve the department of company; nil: the job is
  /// a suspect.
  package mutating func put(
    _ job: JobID, of department: Department, company workers: Set<WorkerID>? = nil, _ place: Place
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
