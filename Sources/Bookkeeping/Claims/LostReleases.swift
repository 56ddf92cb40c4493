import Decisions
import JobModel
import Ledger

/// Releases that may be nowhere: their queue was purged or deleted, or the broker lost its disk. The coordinator itself
/// claims a release that cannot be in its queue, by the same rules as a worker.
struct LostReleases {
  let departments: Departments
  let releases: Releases
  let roster: Roster
  let hands: Hands
  let claiming: Claiming

  /// The queues in which something may be lost.
  func suspectedQueues(olderThan age: Duration) -> Set<JobQueue> {
    Set(
      unheard(olderThan: age).filter { !$0.isAdopted }.map(\.queue).filter {
        // To ask for a queue that the broker refuses would end the connection.
        departments.kindQueues.has($0) && !departments[$0.department].closures.contains(.refused)
      })
  }

  /// A release cannot be in a queue that is empty or gone, and not in one out of which a later release of the same
  /// level came. A worker may have it all the same, and not have said so yet: whether it is lost shows when it is released
  /// again. An adopted one is in no queue: if its worker names it no longer, its report is on its way, or lost as well.
  func claim(in empty: Set<JobQueue>, olderThan age: Duration) {
    let gone = unheard(olderThan: age).filter { release in
      empty.contains(release.queue) || release.isOvertaken || release.isAdopted
        || !departments.kindQueues.has(release.queue)
    }
    for release in gone { claiming.claimGone(release.release) }
  }

  private func unheard(olderThan age: Duration) -> [Releases.Unheard] {
    let named = Set(roster.workers.values.flatMap(hands.releases(of:)))
    return releases.unheard(before: claiming.time.monotonic - age, named: named) { job in
      departments[job.department].isUnreachable
    }
  }

  // MARK: - Queues that are deleted

  /// The queue of a kind was removed, with its messages. The jobs that were in it are released again, or held when no
  /// worker can run them.
  func queueIsRemoved(_ queue: JobQueue, _ turn: Turn) throws {
    try turn.ledger.removeKindQueue(queue)
    departments.kindQueues.removed(queue)
    releases.queueIsGone(queue)
    let void = releases.void.places.filter { $0.place.place.queue == queue }.map(\.release)
    for release in releases.jobs(in: queue).map(\.release) + void { claiming.claimGone(release) }
    // The other queues have larger parts of the window now.
    departments.mayFill(queue.department)
  }

  /// A queue was deleted with its messages. If it was a department's, none of its releases is in its queue any more:
  /// when the session begins, each is published again, the same, with the header `teller-claim`, as after a crash of
  /// the coordinator. A worker that gets it asks before it runs it, and is told to drop it if another one runs it
  /// already, or has reported it: nothing runs twice that way. Of that queue's own messages none comes back: a node
  /// that returns does not keep what was deleted meanwhile. (The exception is a cluster that is cut in two, where both
  /// sides go on, as
  /// `cluster_partition_handling = ignore` has it: on the other side the old queue goes on being served.)
  ///
  /// A job that its worker has adopted has no message, and is left alone.
  ///
  /// - Returns: How many are released again.
  func queueIsLost(_ queue: JobQueue, _ ledger: LedgerTransaction) throws -> Int {
    let lost = releases.jobs(in: queue)
    try ledger.markUnconfirmed(lost.filter(\.isConfirmed).map(\.number))
    releases.unconfirm(lost)
    // The message is about to be published: a release that was made since then proves nothing about it.
    for job in lost { releases[job.id]?.since = claiming.time.monotonic }
    releases.queueIsGone(queue)
    return lost.count
  }

  /// A void release of a queue that was deleted is nowhere: it keeps its place only until no worker has it.
  func claimVoids(of queues: Set<JobQueue>) {
    for (release, place) in releases.void.places where queues.contains(place.place.queue) {
      claiming.claimGone(release)
    }
  }

  /// Jobs without a message, because a worker that is given up by now had adopted them.
  func claimOrphans() {
    for job in releases.live.values {
      guard let worker = job.adoptedBy, !roster.isWelcome(worker) else { continue }
      claiming.askAbout(job.release)
    }
  }
}
