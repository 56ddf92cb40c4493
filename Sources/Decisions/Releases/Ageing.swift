package import JobModel

/// Which releases are published anew on a higher level, because they have waited for long. A pure rule.
///
/// Within the broker a queue is strict: a job of low priority waits for as long as others of a higher one keep coming,
/// though those may stand behind it by now. A job that has earned a level by waiting is released anew on that level.
/// Its old message stays in the queue until a worker drops it, and keeps a place in the window. So a job is moved only
/// if it passes another one that way, and not again before it has waited for what a level is worth: it leaves at most
/// one message behind for each level above its own.
package struct Ageing: Sendable {
  /// What one level of priority is worth in waiting.
  package let worth: Duration

  package init(worth: Duration) { self.worth = worth }

  /// The priority of the message of a job: its own, or more after it has waited for long.
  package func releasePriority(_ priority: Priority, _ standing: Standing, at now: Timestamp) -> Priority {
    max(priority, standing.agedPriority(at: now, worth: worth))
  }

  /// The releases that wait behind a later one, and would not on the level that they have earned; the first by standing
  /// first. `isMovable`: whether a department may have its jobs moved.
  package func overtaken(
    in releases: Releases, of departments: Departments, at now: Timestamp, where isMovable: (Department) -> Bool
  ) -> [LiveJob] {
    let waiting = releases.live.values.filter { releases.waits($0) }
    let queues = waiting.reduce(into: [JobQueue: QueuedLevels]()) { $0[$1.queue, default: QueuedLevels()].add($1) }
    let overtaken = waiting.filter { job in
      let earned = job.standing.agedPriority(at: now, worth: worth)
      return job.isConfirmed && now - worth > job.releasedAt
        && queues[job.queue]?.isBefore(job, upTo: earned) == true && isMovable(job.department)
    }
    return withinParts(overtaken.sorted { $0.standing < $1.standing }, releases, departments)
  }

  /// The jobs that may leave a message behind. The queue of a kind may have one more message than its part of the
  /// window: so its jobs move one after the other.
  private func withinParts(
    _ jobs: [LiveJob], _ releases: Releases, _ departments: Departments
  ) -> [LiveJob] {
    // A job that is being withdrawn already will leave its message, too.
    let withdrawn = releases.void.changing.compactMap { releases.live[$0.job] }
    var count = withdrawn.reduce(into: [JobQueue: Int]()) { $0[$1.queue, default: 0] += 1 }
    return jobs.filter { job in
      guard job.place.isBeside else { return true }
      count[job.queue, default: 0] += 1
      let places = departments.places(beside: job.queue) + count[job.queue, default: 0]
      return places <= departments.limit(beside: job.queue) + 1
    }
  }
}

extension Releases {
  /// Whether no worker is known to have the job, and nothing is to be changed about its release.
  fileprivate func waits(_ job: LiveJob) -> Bool { !job.progress.wasStarted && void.change(of: job.release) == nil }
}

/// The jobs that wait in one queue: of each level the last one, by standing.
private struct QueuedLevels {
  private var last = [Standing?](repeating: nil, count: Priority.levels.count)

  mutating func add(_ job: LiveJob) {
    let level = job.releasePriority.level
    last[level] = max(last[level] ?? job.standing, job.standing)
  }

  /// Whether something that stands behind the job goes before it, on a level up to that one.
  func isBefore(_ job: LiveJob, upTo earned: Priority) -> Bool {
    guard earned > job.releasePriority else { return false }
    return last[(job.releasePriority.level + 1)...earned.level].contains { $0.map { $0 > job.standing } ?? false }
  }
}
