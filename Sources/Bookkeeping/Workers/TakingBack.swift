import Decisions
import JobModel
import Ledger
import Logging

/// Takes back what a silent worker had: it is no longer waited for, and the coordinator itself claims what the worker was
/// running. Each job that was running is told what the death says of it.
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
    search.lookAround()
    let adopted = releases.live.values.filter { $0.adoptedBy == worker }.map(\.release)
    let inHand = Set(hands.releases(of: entry) + adopted)
    noteDeath(of: worker, entry, inHand: inHand)
    try turn.ledger.giveUp(worker, at: time.now)
    try claiming.carryOut(book.claims.leasePassed(worker), turn)
    // What it had comes back redelivered, if it comes back at all.
    for release in inHand { claiming.claimGone(release) }
  }

  /// What is done about the death is decided for each job alone, when it is certain that no worker runs it.
  private func noteDeath(of worker: WorkerID, _ entry: Roster.Entry, inHand: Set<ReleaseID>) {
    // A job that was granted to the worker a moment before its death it could not list any more.
    let jobs = releases.live.values.filter { job in
      inHand.contains(job.release) || job.run?.worker == worker && job.progress.wasStarted
    }
    let running = Dictionary(uniqueKeysWithValues: jobs.map { ($0.id, $0.progress.deaths) })
    // A job that was cancelled and did not stop. What the worker listed and has reported since was at an end.
    let hadOthers = inHand.contains { releases.void.contains($0) && releases[$0.job]?.release != $0 }
    let death = Death(of: running, tellers: entry.tellers.values.reduce(0, +), hadOthers: hadOthers)
    for job in jobs { releases[job.id]?.progress.blame = death.blame(on: job.id) }
    logger.warning(
      "worker silent for its lease: what it ran is taken back",
      metadata: [
        "name": "\(entry.name)", "running": "\(jobs.count)", "suspects": "\(jobs.count { $0.progress.isSuspect })",
        "charged": "\(death.culprit?.description ?? "none")",
      ])
  }
}
