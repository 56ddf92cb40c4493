import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

extension Bookkeeper {
  /// Carries out what the claim rules decided, in their order.
  func carryOut(
    _ actions: [ClaimAction], _ turn: Turn
  ) throws {
    for action in actions {
      switch action {
      case .probe(let number, let workers):
        turn.tell(workers.map { .probe($0, number: number) })
      case .fence(let number):
        turn.tell(.fence(number: number))
      case .answer(let claim, let verdict):
        try answer(claim, verdict, turn)
      case .grant(let claim):
        try conclude(claim, turn)
      case .releaseAnew(let release):
        try conclude(release, turn)
      case .keep(let release):
        keep(release, turn)
      }
    }
  }

  private func answer(
    _ claim: ClaimRequest, _ verdict: Verdict, _ turn: Turn
  ) throws {
    let answer = ClaimAnswer(
      release: claim.release, claim: claim.number, verdict: verdict, number: claims.number)
    turn.tell(.verdict(claim.worker, answer))
    // Whoever is told to drop it has its message in hand.
    guard verdict == .drop, voids.purpose(of: claim.release) == .ended else { return }
    _ = voids.claimConcluded(claim.release)
    try forget(claim.release, turn)
  }

  /// Nobody runs what a worker claims, and it has the message.
  private func conclude(
    _ claim: ClaimRequest, _ turn: Turn
  ) throws {
    switch voids.claimConcluded(claim.release) {
    case .ordinary:
      try grant(claim, turn)
    case .forgotten:
      try answer(claim, .drop, turn)
      try forget(claim.release, turn)
    case .change, .changeAndForget:
      try answer(claim, .drop, turn)
      try change(claim.release, isGone: true, turn)
    }
  }

  /// Nobody runs what the coordinator claimed itself.
  private func conclude(
    _ release: ReleaseID, _ turn: Turn
  ) throws {
    let wasVoid = voids.contains(release)
    switch voids.ownClaimConcluded(release) {
    case .ordinary where wasVoid: break
    case .ordinary:
      let isReturned = released[release.job]?.isReturned == true
      try releaseAnew(release, because: isReturned ? .withdrawn : .foundLost, turn)
    case .forgotten: try forget(release, turn)
    case .change: try change(release, isGone: false, turn)
    case .changeAndForget: try change(release, isGone: true, turn)
    }
  }

  /// The claim may run, unless the job's attempts are used up by now, or it has come too late: then it has ended.
  private func grant(
    _ claim: ClaimRequest, _ turn: Turn
  ) throws {
    guard var job = released[claim.release.job], job.release == claim.release else {
      return try answer(claim, .drop, turn)
    }
    let isLastUnheard = isLastGrantUnheard(of: job)
    let wasStarted = job.progress.wasStarted && !isLastUnheard
    switch job.progress.apply(event(of: claim, job, wasStarted: wasStarted, isLastUnheard: isLastUnheard)) {
    case .grant(let interrupted):
      if let interrupted { try recordInterruption(interrupted, of: job, turn) }
      // Whoever claims a release has it from its queue.
      job.isConfirmed = true
      if job.adoptedBy != nil { try turn.ledger.adopt(job.number, by: nil) }
      job.adoptedBy = nil
      job.run = LiveJob.Run(worker: claim.worker, since: now, number: claims.number)
      try turn.ledger.save(job.progress, of: job.number, releasedAt: job.releasedAt)
      try turn.ledger.record(GrantRecord(worker: claim.worker, at: now, number: claims.number), of: job.number)
      released[job.id] = job
      FaultPoint.reached("claims.granted-before-record")
      let verdict = Verdict.run(token: job.progress.token, attempt: job.progress.attempt)
      try answer(claim, verdict, turn)
    case .finish(let outcome):
      logger.warning("job failed", metadata: ["job": "\(job.id)", "reason": "\(outcome.failure?.code ?? "")"])
      try answer(claim, .drop, turn)
      if wasStarted { try recordInterruption(job.progress.attempt, of: job, turn) }
      try finish(job, outcome, Ending(at: now), turn)
    case .withhold(let interrupted):
      try answer(claim, .drop, turn)
      if let interrupted { try recordInterruption(interrupted, of: job, turn) }
      try holdSuspect(job, turn)
    case .release, .hold, .attemptFailed, .ignore, .show:
      try answer(claim, .drop, turn)
    }
  }

  /// What the conclusion of a worker's claim is for its job.
  private func event(of claim: ClaimRequest, _ job: LiveJob, wasStarted: Bool, isLastUnheard: Bool) -> JobTransition {
    if job.isTooLate(wasStarted, at: now) { return .failed(.tooLate()) }
    let isInTheWay = job.progress.isSuspect && !wasStarted && !suspects.mayStart(job.id, on: claim.worker)
    if isInTheWay { return .sentBack }
    return isLastUnheard ? .claimGrantedAnew : .claimGranted
  }

  /// No worker has this release, and nothing in `teller.reports` is about it: it is released as a new message.
  func releaseAnew(
    _ release: ReleaseID, because event: JobTransition, _ turn: Turn
  ) throws {
    guard var job = released[release.job], job.release == release else { return }
    // Only of one that was given back: what is lost may have been reported, and the report lost with it.
    let isLastUnheard = event == .withdrawn && isLastGrantUnheard(of: job)
    let wasStarted = job.progress.wasStarted && !isLastUnheard
    // Of all that a dead worker ran one line tells.
    if event == .foundLost, !wasStarted { logger.notice("job was lost", metadata: ["job": "\(job.id)"]) }
    switch job.progress.apply(isLastUnheard ? .withdrawnUnbegun : event) {
    case .release(let interrupted):
      if let interrupted { try recordInterruption(interrupted, of: job, turn) }
      try carryOut(claims.superseded(release), turn)
      try releaseAgain(job, turn)
    case .withhold(let interrupted):
      if let interrupted { try recordInterruption(interrupted, of: job, turn) }
      try holdSuspect(job, turn)
    case .finish(let outcome):
      if wasStarted { try recordInterruption(job.progress.attempt, of: job, turn) }
      try finish(job, outcome, Ending(at: now), turn)
    case .grant, .hold, .attemptFailed, .ignore, .show:
      break
    }
  }

  /// Whether the answer to its last grant was lost with its connection: nothing has begun, and no attempt is used up.
  private func isLastGrantUnheard(of job: LiveJob) -> Bool {
    guard !job.progress.seenRunning, job.progress.wasStarted, let run = job.run else { return false }
    return claims.isWelcomed(run.worker, since: run.number)
  }

  /// Its worker cannot tell any more: what is known of the attempt is what was heard while it ran.
  private func recordInterruption(
    _ attempt: Int, of job: LiveJob, _ turn: Turn
  ) throws {
    let failure = JobFailure(code: "interrupted", message: "its worker died or was lost")
    let record = AttemptRecord(
      number: attempt, worker: job.run?.worker, startedAt: job.run?.since, endedAt: now, result: "interrupted",
      failure: failure)
    try turn.ledger.record(record, of: job.number)
  }
}

extension LiveJob {
  /// Whether its first attempt had to begin by now, and did not.
  fileprivate func isTooLate(_ wasStarted: Bool, at now: Timestamp) -> Bool {
    guard let startBy, !progress.hasBegun, !wasStarted else { return false }
    return startBy <= now
  }
}
