package import JobModel

/// The lines of the departments: in a line the suspects wait, the jobs that may have ended workers. And the reason why
/// each line waits.
package final class SuspectLines {
  private let departments: Departments
  private let releases: Releases
  private let roster: Roster
  package var patience = Patience(limit: .seconds(600))

  package init(_ departments: Departments, _ releases: Releases, _ roster: Roster) {
    (self.departments, self.releases, self.roster) = (departments, releases, roster)
  }

  /// Whether no other suspect runs on the worker.
  package func mayStart(_ job: JobID, on worker: WorkerID, at now: Duration) -> Bool {
    suspects(at: now).mayStart(job, on: worker)
  }

  /// The departments whose next suspect may be released.
  package func turns(at now: Duration) -> [Department] {
    patience.retain { departments.books[$0].map { $0.suspects > 0 } ?? false }
    let lines = departments.books.filter { $0.value.suspects > 0 && !$0.value.isBeingCleared }
    guard !lines.isEmpty else { return [] }
    return lines.keys.filter { department in
      guard departments[department].hasRoomForSuspect else {
        patience.pause(for: department)
        return false
      }
      return true
    }
  }

  /// Whether the next suspect of the line may be released. A suspect does not wait for ever for company.
  package func isTurn(of department: Department, at now: Duration) -> Bool {
    let obstacle = suspects(at: now).obstacle(to: department, servedBy: roster.workers(of: department))
    return patience.ends(for: department, obstacle, at: now)
  }

  /// The jobs that a suspect of the department waits for; none: it waits for room.
  package func ahead(in department: Department, at now: Duration) -> [JobID] {
    let workers = roster.workers(of: department)
    return releasedAfterDeath(at: now).filter { job in
      var alone = Suspects()
      put(job, in: &alone, servedBy: roster.workers(of: job.department))
      return alone.obstacle(to: department, servedBy: workers) != nil
    }.map(\.id).sorted { $0.description < $1.description }
  }

  /// The suspects that are released, and their company.
  private func suspects(at now: Duration) -> Suspects {
    var suspects = Suspects()
    var servers: [Department: Set<WorkerID>] = [:]
    for job in releasedAfterDeath(at: now) {
      let workers = servers[job.department] ?? roster.workers(of: job.department)
      servers[job.department] = workers
      put(job, in: &suspects, servedBy: workers)
    }
    return suspects
  }

  private func releasedAfterDeath(at now: Duration) -> [LiveJob] {
    let limit = now - patience.limit
    return releases.live.afterDeath.compactMap { releases[$0] }.filter { $0.progress.isSuspect || $0.since > limit }
  }

  private func put(_ job: LiveJob, in suspects: inout Suspects, servedBy workers: Set<WorkerID>) {
    // A job that is about to be taken back from a dead worker is about to be in its queue again.
    let isStarted = job.progress.wasStarted && job.progress.blame == nil
    let place: Suspects.Place = isStarted ? .started(on: job.run?.worker) : .queued
    suspects.put(job.id, of: job.department, company: job.progress.isSuspect ? nil : workers, place)
  }
}
