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
        answer(claim, verdict, &outgoing)
      case .grant(let claim):
        try grant(claim, transaction, &outgoing)
      case .releaseAnew(let release):
        try releaseAnew(release, transaction, &outgoing)
      case .keep:
        break
      }
    }
  }

  private func answer(_ claim: ClaimRequest, _ verdict: Verdict, _ outgoing: inout [Outgoing]) {
    outgoing.append(.verdict(verdict, claim))
  }

  /// The claim may run, unless the job's attempts are used up by now: then it has ended.
  private func grant(
    _ claim: ClaimRequest, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    guard var job = released[claim.release.job], job.release == claim.release else {
      return answer(claim, .drop, &outgoing)
    }
    switch job.progress.apply(.claimGranted) {
    case .grant(let interrupted):
      if let interrupted { try recordInterruption(interrupted, of: job, transaction) }
      // Whoever claims a release has it from its queue.
      job.isConfirmed = true
      try transaction.save(job.progress, of: job.number, releasedAt: job.releasedAt)
      released[job.id] = job
      answer(claim, .run(token: job.progress.token, attempt: job.progress.attempt), &outgoing)
    case .finish(let outcome):
      logger.warning("job failed", metadata: ["job": "\(job.id)", "reason": "\(outcome.failure?.code ?? "")"])
      answer(claim, .drop, &outgoing)
      try recordInterruption(job.progress.attempt, of: job, transaction)
      try finish(job, outcome, Ending(at: .now()), transaction, &outgoing)
    case .release, .attemptFailed, .ignore, .show:
      answer(claim, .drop, &outgoing)
    }
  }

  /// No worker has this release, and nothing in `teller.reports` is about it: it is released as a new message.
  private func releaseAnew(
    _ release: ReleaseID, _ transaction: LedgerTransaction, _ outgoing: inout [Outgoing]
  ) throws {
    guard var job = released[release.job], job.release == release else { return }
    logger.notice("job was lost", metadata: ["job": "\(job.id)"])
    let old = job.release
    switch job.progress.apply(.foundLost) {
    case .release(let interrupted):
      if let interrupted { try recordInterruption(interrupted, of: job, transaction) }
      try carryOut(claims.superseded(old), transaction, &outgoing)
      try releaseAgain(job, transaction, &outgoing)
    case .finish(let outcome):
      try finish(job, outcome, Ending(at: .now()), transaction, &outgoing)
    case .grant, .attemptFailed, .ignore, .show:
      break
    }
  }

  private func recordInterruption(
    _ attempt: Int, of job: LiveJob, _ transaction: LedgerTransaction
  ) throws {
    let failure = JobFailure(code: "interrupted", message: "its worker died or was lost")
    let record = AttemptRecord(
      number: attempt, worker: nil, startedAt: nil, endedAt: .now(), result: "interrupted", failure: failure)
    try transaction.record(record, of: job.number)
  }
}
