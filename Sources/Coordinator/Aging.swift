import Decisions
import JobModel
import Ledger

extension Bookkeeper {
  /// How many releases one turn withdraws because they have waited for long.
  static let agingLimit = 64

  /// Within the broker a queue is strict: a job of low priority waits for as long as others of a higher one keep coming,
  /// though those may stand behind it by now. One that has earned a level by waiting is released anew on that level, where
  /// there is somebody to serve it.
  ///
  /// Its old message stays in the queue until it is dropped, and keeps a place in the window. So it is moved only if it
  /// passes somebody that way, and not again before it has waited for what a level is worth: it leaves one message behind
  /// for each level above its own at most.
  func ageReleases(at now: Timestamp) throws(LedgerError) {
    guard !isQuiet else { return }
    let overtaken = overtakenReleases(at: now)
    guard !overtaken.isEmpty else { return }
    let served = Set(overtaken.map(\.department).filter { tellers(of: $0) > 0 })
    let oldest = withinParts(overtaken.filter { served.contains($0.department) }.sorted { $0.standing < $1.standing })
    try turn { turn in
      for job in oldest.prefix(Bookkeeper.agingLimit) { try withdraw(job, for: .age, turn) }
      try carryOut(claims.flush(), turn)
    }
  }

  /// Those that wait behind a later one, and would not on the level that they have earned.
  private func overtakenReleases(at now: Timestamp) -> [LiveJob] {
    let worth = configuration.priorityWorth
    var queues: [JobQueue: QueuedLevels] = [:]
    for job in released.values where waits(job) { queues[job.queue, default: QueuedLevels()].add(job) }
    return released.values.filter { job in
      let earned = job.standing.agedPriority(at: now, worth: worth)
      return job.isConfirmed && waits(job) && now - worth > job.releasedAt
        && !self[desk: job.department].isOrdered && !self[desk: job.department].isPaused
        && queues[job.queue]?.isBefore(job, upTo: earned) == true
    }
  }

  /// Those that may leave a message behind. The queue of a kind has one place more for that than its part of the window:
  /// enough for one after the other.
  private func withinParts(_ jobs: [LiveJob]) -> [LiveJob] {
    // What is being withdrawn already will leave its message, too.
    var count: [JobQueue: Int] = [:]
    for job in changes.keys.compactMap({ released[$0.job] }) { count[job.queue, default: 0] += 1 }
    return jobs.filter { job in
      guard job.isBeside else { return true }
      count[job.queue, default: 0] += 1
      return places(beside: job.queue) + count[job.queue, default: 0] <= limit(beside: job.queue) + 1
    }
  }

  /// Nobody has it, as far as is known, and its message is to stay where it is.
  private func waits(_ job: LiveJob) -> Bool { !job.progress.wasStarted && changes[job.release] == nil }

  /// What a job is published with: its own priority, or more after it has waited for long.
  func releasePriority(_ priority: Priority, _ standing: Standing, at now: Timestamp) -> Priority {
    max(priority, standing.agedPriority(at: now, worth: configuration.priorityWorth))
  }
}

/// What waits in one queue: of each level the last, by standing.
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
