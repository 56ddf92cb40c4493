import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Carries out the rules of claims (``Claims``): asks the workers, and releases or grants a job when it is certain that
/// no worker runs it.
struct Claiming {
  let book: ClaimBook
  let releases: Releases
  let lines: SuspectLines
  let roster: Roster
  let hands: Hands
  let withdrawing: Withdrawing
  let reissuing: Reissuing
  let changing: Changing
  let time: LedgerTime
  let logger: Logger

  /// The actions, in their order.
  func carryOut(_ actions: [ClaimAction], _ turn: Turn) throws {
    let inHand = inHand(of: actions)
    for action in actions {
      switch action {
      case .probe(let number, let workers):
        turn.tell(workers.map { .probe($0, number: number, since: book.sessionBegan) })
      case .fence(let number): turn.tell(.fence(number: number))
      case .answer(let claim, let verdict): try withdrawing.answer(claim, verdict, turn)
      case .grant(let claim): try conclude(claim, turn)
      case .releaseAnew(let release): try conclude(release, inHand: inHand, turn)
      case .keep(let release):
        releases.returnedAndRun(release)
        try withdrawing.abandonChange(of: release, because: "it is running", turn)
      }
    }
  }

  /// Those of the releases to be released anew whose messages are in a worker's hands.
  private func inHand(of actions: [ClaimAction]) -> Set<ReleaseID> {
    let gone = Set(actions.compactMap { if case .releaseAnew(let release) = $0 { release } else { nil } })
    return gone.isEmpty ? [] : gone.intersection(roster.workers.values.flatMap(hands.waiting(of:)))
  }

  /// Probes for the claims that came in this turn; at its end.
  func flush(_ turn: Turn) throws { try carryOut(book.claims.flush(), turn) }

  /// A fence has come back: every report that was sent before it is recorded.
  func fenceReturned(_ number: Int, _ turn: Turn) throws { try carryOut(book.claims.fenceReturned(number), turn) }

  /// A worker asks whether it may run a release.
  func claim(_ request: ClaimRequest, _ turn: Turn) throws {
    if releases.live.isCurrent(request.release) { releases[request.release.job]?.claimedAt = time.monotonic }
    try carryOut(book.claims.claim(request, isCurrent: releases.matters(request.release)), turn)
  }

  /// The coordinator asks for itself who has a release, if that matters.
  func askAbout(_ release: ReleaseID) {
    guard releases.matters(release) else { return }
    _ = book.claims.claimForCoordinator(release)
  }

  /// The message of a release is gone, or comes back redelivered: the coordinator asks which worker has the release.
  func claimGone(_ release: ReleaseID) {
    guard releases.matters(release) else { return }
    releases.void.messageGone(release)
    _ = book.claims.claimForCoordinator(release)
  }

  /// No worker runs the release that a worker claims, and that worker has the message.
  private func conclude(_ claim: ClaimRequest, _ turn: Turn) throws {
    // The answer gives the place of a void release back.
    if releases.void.purpose(of: claim.release) == .ended { return try withdrawing.answer(claim, .drop, turn) }
    let (step, change) = try withdrawing.noteLearnt(claim.release, turn) { $0.claimConcluded($1) }
    if step == .ordinary { return try grant(claim, turn) }
    try withdrawing.answer(claim, .drop, turn)
    try changing.carryOut(change, of: claim.release, isGone: true, turn)
  }

  /// No worker runs the release that the coordinator claimed itself. `inHand`: the releases whose messages wait in some
  /// worker's hands, as all workers have said since the claim: a worker that was handed one just now will ask about it
  /// only when it has a teller for it.
  private func conclude(_ release: ReleaseID, inHand: Set<ReleaseID>, _ turn: Turn) throws {
    let wasVoid = releases.void.contains(release)
    let (step, change) = try withdrawing.noteLearnt(release, turn) { $0.ownClaimConcluded($1) }
    switch step {
    case .ordinary where wasVoid, .forgotten: break
    case .ordinary:
      let job = releases[release.job]
      // One that has begun was cut short all the same.
      let hasBegun = job.map { $0.progress.wasStarted && !reissuing.isLastGrantUnheard(of: $0) } ?? false
      if job?.isReturned != true, !hasBegun, inHand.contains(release) { break }
      try reissuing.releaseAnew(release, because: job?.isReturned == true ? .withdrawn : .foundLost, turn)
    case .change: try changing.carryOut(change, of: release, isGone: false, turn)
    case .changeAndForget: try changing.carryOut(change, of: release, isGone: true, turn)
    }
  }

  /// The worker may run the release, unless the attempts of the job are used up by now, the job has come too late, or
  /// has to wait in its line.
  private func grant(_ claim: ClaimRequest, _ turn: Turn) throws {
    guard var job = releases.live[claim.release] else { return try withdrawing.answer(claim, .drop, turn) }
    if job.progress.settle(attempts: claim.attempts) {
      try turn.ledger.settleAttempts(of: job.number, job.progress.maxAttempts)
    }
    let isLastUnheard = reissuing.isLastGrantUnheard(of: job)
    let mayStart = !job.progress.isSuspect || lines.mayStart(job.id, on: claim.worker, at: time.monotonic)
    let next = job.concludeClaim(at: time.now, isLastUnheard: isLastUnheard, mayStart: mayStart)
    guard case .goesOn(let interrupted) = next else {
      try withdrawing.answer(claim, .drop, turn)
      if case .ends(let outcome, _) = next {
        logger.warning("job failed", metadata: ["job": "\(job.id)", "reason": "\(outcome.failure?.code ?? "")"])
      }
      return try reissuing.endOrWithhold(job, next, turn)
    }
    try reissuing.recordInterruption(interrupted, of: job, turn)
    try record(&job, grantedTo: claim.worker, turn)
    FaultPoint.reached("claims.granted-before-record")
    let verdict = Verdict.run(token: job.progress.token, attempt: job.progress.attempt)
    try withdrawing.answer(claim, verdict, turn)
  }

  private func record(_ job: inout LiveJob, grantedTo worker: WorkerID, _ turn: Turn) throws {
    // A worker that claims a release has its message from the queue. But the claim may be of a connection that has ended,
    // and the message may have been given back by another worker since: the coordinator's own claim, open then, shows it.
    let isReturned = job.isReturned && book.claims.isClaimedByCoordinator(job.release)
    (job.isConfirmed, job.isReturned) = (!isReturned, isReturned)
    if job.adoptedBy != nil { try turn.ledger.adopt(job.number, by: nil) }
    job.adoptedBy = nil
    let run = LiveJob.Run(worker: worker, since: time.now, number: book.claims.number)
    job.run = run
    try turn.ledger.save(job.progress, of: job.number, releasedAt: job.releasedAt)
    try turn.ledger.record(GrantRecord(worker: worker, at: run.since, number: run.number), of: job.number)
    turn.put(job, in: releases)
  }
}
