import Decisions
import JobModel
import Ledger
import Logging

/// Takes the jobs of a silent worker back: the worker is no longer waited for, and the coordinator itself claims the
/// releases that the worker had. The death is noted for each job that was running.
struct TakingBack {
  let roster: Roster
  let releases: Releases
  let book: ClaimBook
  let hands: Hands
  let claiming: Claiming
  let search: HandlerSearch
  let time: LedgerTime
  let logger: Logger

  func takeBack(from worker: WorkerID, _ turn: Turn) throws {
    guard let entry = roster.forget(worker) else { return }
    turn.tally.lostLeases += 1
    releases.connectionEnded(to: entry.tellers.named, at: time.monotonic)
    search.lookAround()
    let adopted = releases.live.values.filter { $0.adoptedBy == worker }.map(\.release)
    let inHand = Set(hands.releases(of: entry) + adopted)
    // What the worker had taken ahead has not begun, as far as is known: its death says nothing about that.
    try noteDeath(of: worker, entry, begun: Set(hands.begun(of: entry) + adopted), turn)
    try turn.ledger.giveUp(worker, at: time.now)
    try claiming.carryOut(book.claims.leasePassed(worker), turn)
    // The messages of the worker come back redelivered, if they come back at all.
    for release in inHand {
      if releases.live.isCurrent(release) { releases[release.job]?.hasLostWorker = true }
      claiming.claimGone(release)
    }
  }

  /// Only notes the death for each job: what follows is decided when it is certain that no worker runs the job.
  private func noteDeath(
    of worker: WorkerID, _ entry: Roster.Entry, begun: Set<ReleaseID>, _ turn: Turn
  ) throws {
    // The worker could not list a job any more that was granted to it a moment before its death.
    let jobs = releases.live.values.filter { job in
      begun.contains(job.release) || job.run?.worker == worker && job.progress.wasStarted
    }
    let running = Dictionary(uniqueKeysWithValues: jobs.map { ($0.id, $0.progress.deaths) })
    // A void release that runs: a job that was cancelled and did not stop. A job that was reported since was at its end.
    let hadOthers = begun.contains { releases.void.contains($0) && releases[$0.job]?.release != $0 }
    let death = Death(of: running, tellers: entry.tellers.values.reduce(0, +), hadOthers: hadOthers)
    let isDrain = entry.diedDraining(heard: time.now - roster.lease)
    for job in jobs {
      let isExcused = try isDrain && excuse(job, worker, turn)
      releases[job.id]?.progress.blame = isExcused ? .drained : death.blame(on: job.id)
    }
    logger.warning(
      "worker silent for its lease: what it ran is taken back",
      metadata: [
        "name": "\(entry.name)", "running": "\(jobs.count)", "suspects": "\(jobs.count { $0.progress.isSuspect })",
        "charged": "\(isDrain ? "none: it was draining" : death.culprit?.description ?? "none")",
      ])
  }

  /// Records that a job's worker was killed while it drained, as often as that is no death of the job's making.
  private func excuse(_ job: LiveJob, _ worker: WorkerID, _ turn: Turn) throws -> Bool {
    guard try turn.ledger.unusedAttempts(of: job.number).drains < UnusedAttempts.drainLimit else { return false }
    let record = AttemptRecord(
      number: job.progress.attempt, worker: worker, startedAt: job.run?.since, endedAt: time.now, end: .interrupted,
      failure: .drained())
    try turn.ledger.record(record, of: job.number)
    return true
  }
}
