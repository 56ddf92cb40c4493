import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

extension Bookkeeper {
  /// Carries out what the claim rules decided, in their order.
  func carryOut(
    _ actions: [ClaimAction], _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    for action in actions {
      switch action {
      case .probe(let number, let workers):
        outgoing += workers.map { .probe($0, number: number) }
      case .fence(let number):
        outgoing.append(.fence(number: number))
      case .answer(let claim, let verdict):
        try answer(claim, verdict, transaction, &outgoing)
      case .grant(let claim):
        try conclude(claim, transaction, &outgoing)
      case .releaseAnew(let release):
        try conclude(release, transaction, &outgoing)
      case .keep(let release):
        keep(release, &outgoing)
      }
    }
  }

  private func answer(
    _ claim: ClaimRequest, _ verdict: Verdict, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    let answer = ClaimAnswer(
      release: claim.release, claim: claim.number, verdict: verdict, number: claims.number)
    outgoing.append(.verdict(claim.worker, answer))
    // Whoever is told to drop it has its message in hand.
    guard verdict == .drop, voids.purpose(of: claim.release) == .ended else { return }
    _ = voids.claimConcluded(claim.release)
    try forget(claim.release, transaction, &outgoing)
  }

  /// Nobody runs what a worker claims, and it has the message.
  private func conclude(
    _ claim: ClaimRequest, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    switch voids.claimConcluded(claim.release) {
    case .ordinary:
      try grant(claim, transaction, &outgoing)
    case .forgotten:
      try answer(claim, .drop, transaction, &outgoing)
      try forget(claim.release, transaction, &outgoing)
    case .change, .changeAndForget:
      try answer(claim, .drop, transaction, &outgoing)
      try change(claim.release, isGone: true, transaction, &outgoing)
    }
  }

  /// Nobody runs what the coordinator claimed itself.
  private func conclude(
    _ release: ReleaseID, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    let wasVoid = voids.contains(release)
    switch voids.ownClaimConcluded(release) {
    case .ordinary where wasVoid: break
    case .ordinary:
      let isReturned = released[release.job]?.isReturned == true
      try releaseAnew(release, because: isReturned ? .withdrawn : .foundLost, transaction, &outgoing)
    case .forgotten: try forget(release, transaction, &outgoing)
    case .change: try change(release, isGone: false, transaction, &outgoing)
    case .changeAndForget: try change(release, isGone: true, transaction, &outgoing)
    }
  }

  /// The claim may run, unless the job's attempts are used up by now, or it has come too late: then it has ended.
  private func grant(
    _ claim: ClaimRequest, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    guard var job = released[claim.release.job], job.release == claim.release else {
      return try answer(claim, .drop, transaction, &outgoing)
    }
    let isLastUnheard = isLastGrantUnheard(of: job)
    let wasStarted = job.progress.wasStarted && !isLastUnheard
    switch job.progress.apply(event(of: claim, job, wasStarted: wasStarted, isLastUnheard: isLastUnheard)) {
    case .grant(let interrupted):
      if let interrupted { try recordInterruption(interrupted, of: job, transaction) }
      // Whoever claims a release has it from its queue.
      job.isConfirmed = true
      if job.adoptedBy != nil { try transaction.adopt(job.number, by: nil) }
      job.adoptedBy = nil
      job.run = LiveJob.Run(worker: claim.worker, since: now, number: claims.number)
      try transaction.save(job.progress, of: job.number, releasedAt: job.releasedAt)
      try transaction.record(GrantRecord(worker: claim.worker, at: now, number: claims.number), of: job.number)
      released[job.id] = job
      FaultPoint.reached("claims.granted-before-record")
      let verdict = Verdict.run(token: job.progress.token, attempt: job.progress.attempt)
      try answer(claim, verdict, transaction, &outgoing)
    case .finish(let outcome):
      logger.warning("job failed", metadata: ["job": "\(job.id)", "reason": "\(outcome.failure?.code ?? "")"])
      try answer(claim, .drop, transaction, &outgoing)
      if wasStarted { try recordInterruption(job.progress.attempt, of: job, transaction) }
      try finish(job, outcome, Ending(at: now), transaction, &outgoing)
    case .withhold(let interrupted):
      try answer(claim, .drop, transaction, &outgoing)
      if let interrupted { try recordInterruption(interrupted, of: job, transaction) }
      try holdSuspect(job, transaction, &outgoing)
    case .release, .hold, .attemptFailed, .ignore, .show:
      try answer(claim, .drop, transaction, &outgoing)
    }
  }

  /// What the conclusion of a worker's claim is for its job.
  private func event(of claim: ClaimRequest, _ job: LiveJob, wasStarted: Bool, isLastUnheard: Bool) -> JobEvent {
    if job.isTooLate(wasStarted, at: now) { return .failed(.tooLate()) }
    let isInTheWay = job.progress.isSuspect && !wasStarted && !suspects.mayStart(job.id, on: claim.worker)
    if isInTheWay { return .sentBack }
    return isLastUnheard ? .claimGrantedAnew : .claimGranted
  }

  /// No worker has this release, and nothing in `teller.reports` is about it: it is released as a new message.
  func releaseAnew(
    _ release: ReleaseID, because event: JobEvent, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    guard var job = released[release.job], job.release == release else { return }
    // Only of one that was given back: what is lost may have been reported, and the report lost with it.
    let isLastUnheard = event == .withdrawn && isLastGrantUnheard(of: job)
    let wasStarted = job.progress.wasStarted && !isLastUnheard
    // Of all that a dead worker ran one line tells.
    if event == .foundLost, !wasStarted { logger.notice("job was lost", metadata: ["job": "\(job.id)"]) }
    switch job.progress.apply(isLastUnheard ? .withdrawnUnbegun : event) {
    case .release(let interrupted):
      if let interrupted { try recordInterruption(interrupted, of: job, transaction) }
      try carryOut(claims.superseded(release), transaction, &outgoing)
      try releaseAgain(job, transaction, &outgoing)
    case .withhold(let interrupted):
      if let interrupted { try recordInterruption(interrupted, of: job, transaction) }
      try holdSuspect(job, transaction, &outgoing)
    case .finish(let outcome):
      if wasStarted { try recordInterruption(job.progress.attempt, of: job, transaction) }
      try finish(job, outcome, Ending(at: now), transaction, &outgoing)
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
    _ attempt: Int, of job: LiveJob, _ transaction: LedgerTransaction
  ) throws {
    let failure = JobFailure(code: "interrupted", message: "its worker died or was lost")
    let record = AttemptRecord(
      number: attempt, worker: job.run?.worker, startedAt: job.run?.since, endedAt: now, result: "interrupted",
      failure: failure)
    try transaction.record(record, of: job.number)
  }
}

extension LiveJob {
  /// Whether its first attempt had to begin by now, and did not.
  fileprivate func isTooLate(_ wasStarted: Bool, at now: Timestamp) -> Bool {
    guard let startBy, !progress.hasBegun, !wasStarted else { return false }
    return startBy <= now
  }
}
