/// The suspects that are released and unfinished: jobs that were running at two deaths or more. All others wait in the
/// line of their department.
///
/// Of each department one is released at a time. Each is claimed before it runs, so that the start of every one is known;
/// and in one worker no two of them run, whatever their departments are: else nobody could tell which was the cause.
package struct Suspects: Hashable, Sendable {
  /// Where a suspect is.
  package enum Place: Hashable, Sendable {
    /// In its queue, or claimed.
    case queued
    /// It was granted to that worker; nil: nobody knows any more to which.
    case started(on: WorkerID?)
  }

  private struct Entry: Hashable, Sendable {
    var department: Department
    var place: Place
  }

  private var entries: [JobID: Entry] = [:]

  package init() {}

  /// It is released, or its place has changed.
  package mutating func put(_ job: JobID, of department: Department, _ place: Place) {
    entries[job] = Entry(department: department, place: place)
  }

  /// Whether the next one of a department's line may be released.
  ///
  /// - Parameters:
  ///   - department: The line's.
  ///   - workers: Those that serve the department: a suspect of another one that runs there would keep it from starting.
  /// - Returns: Whether its turn has come.
  package func mayRelease(from department: Department, servedBy workers: Set<WorkerID>) -> Bool {
    entries.values.allSatisfy { entry in
      guard entry.department != department else { return false }
      return switch entry.place {
      case .queued: true
      case .started(let worker): worker.map { !workers.contains($0) } ?? false
      }
    }
  }

  /// Whether a suspect may start there; if not, it goes back to its line.
  package func mayStart(_ job: JobID, on worker: WorkerID) -> Bool {
    entries.allSatisfy { other, entry in
      guard other != job, case .started(let place) = entry.place else { return true }
      return place != nil && place != worker
    }
  }
}
