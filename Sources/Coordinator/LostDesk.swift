import Decisions
import JobModel
import Ledger

/// Releases that may be nowhere: their queue was purged or deleted, or the broker lost its disk.
extension Bookkeeper {
  /// How much later a release must have been made to prove that an earlier one is not in the queue: those of one moment
  /// are published side by side.
  static let overtakingMargin: Duration = .seconds(10)

  /// Something that was released a while ago and that no worker has named since by its present token.
  private struct Suspect {
    var release: ReleaseID
    var queue: JobQueue
    var isOvertaken: Bool
  }

  /// The queues in which something may be lost.
  func suspectQueues(olderThan age: Duration) -> Set<JobQueue> {
    Set(suspects(olderThan: age).map(\.queue).filter(kindQueues.has))
  }

  /// What cannot be in its queue, because that is empty or because a later release of the same level came out of it, is
  /// claimed by the coordinator itself, by the same rules as a worker claims.
  func lookForLost(in empty: Set<JobQueue>, olderThan age: Duration) throws(LedgerError) {
    let lost = suspects(olderThan: age).filter {
      empty.contains($0.queue) || $0.isOvertaken || !kindQueues.has($0.queue)
    }
    guard !lost.isEmpty, !isQuiet else { return }
    try turn { turn in
      for suspect in lost { voids.messageGone(suspect.release) }
      for suspect in lost { try carryOut(claims.claimForCoordinator(suspect.release), turn) }
      try carryOut(claims.flush(), turn)
    }
  }

  /// A worker had a release fresh from its queue: within a level, all that were made long before it have left the queue.
  /// One whose level is not known may have come from a higher one, and proves nothing.
  func noteFresh(_ job: LiveJob) {
    guard job.isLevelKnown else { return }
    let latest = freshest[job.queue]?[job.releasePriority]
    if latest ?? job.since <= job.since { freshest[job.queue, default: [:]][job.releasePriority] = job.since }
  }

  private func suspects(olderThan age: Duration) -> [Suspect] {
    let limit = SessionClock.now - age
    let named = Set(attendance.workers.values.flatMap(releases(inHandOf:)))
    let live = released.values.filter { job in
      job.isConfirmed && configuration.departments[job.department] != nil && job.since < limit
        && !named.contains(job.release) && changes[job.release] == nil
        && job.adoptedBy.map { !attendance.isWelcome($0) } ?? true
    }
    let void = voidPlaces.filter { $0.value.isSettled && $0.value.heldSince < limit && !named.contains($0.key) }
    return live.map { suspect($0.release, $0.queue, $0.releasePriority, $0.since) }
      + void.map { suspect($0.key, $0.value.queue, $0.value.priority, $0.value.heldSince) }
  }

  private func suspect(
    _ release: ReleaseID, _ queue: JobQueue, _ level: Priority, _ time: Duration
  ) -> Suspect {
    let later = freshest[queue]?[level]
    let isOvertaken = later.map { $0 - Bookkeeper.overtakingMargin > time } ?? false
    return Suspect(release: release, queue: queue, isOvertaken: isOvertaken)
  }
}
