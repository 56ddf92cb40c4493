import Decisions
import JobModel
import Ledger
import Logging

/// Releases that no worker has, and of which no report is known: each job is released as a new message, waits in its
/// line, or has ended.
struct Reissuing {
  let releases: Releases
  let book: ClaimBook
  let withdrawing: Withdrawing
  let holding: Holding
  let releasing: Releasing
  let ending: Ending
  let time: LedgerTime
  let logger: Logger

  func releaseAnew(_ release: ReleaseID, because event: JobTransition, _ turn: Turn) throws {
    guard var job = releases.live[release] else { return }
    // One line of the log names all jobs that a dead worker ran.
    if event == .foundLost, !job.progress.wasStarted { logger.notice("job was lost", metadata: ["job": "\(job.id)"]) }
    let next = job.releaseAnew(because: event, isLastUnheard: isLastGrantUnheard(of: job))
    guard case .goesOn(let interrupted) = next else { return try endOrWithhold(job, next, turn) }
    try recordInterruption(interrupted, of: job, turn)
    try withdrawing.supersede(release, turn)
    try releasing.releaseAgain(job, turn)
  }

  /// The job does not go on: it has ended, or waits in the line of suspects.
  func endOrWithhold(_ job: LiveJob, _ next: Resumption, _ turn: Turn) throws {
    switch next {
    case .waitsInLine(let interrupted):
      try recordInterruption(interrupted, of: job, turn)
      try holding.holdSuspect(job, turn)
    case .ends(let outcome, let interrupted):
      try recordInterruption(interrupted, of: job, isTriedAgain: false, turn)
      try ending.finish(job, outcome, LastRun(at: time.now), turn)
    case .goesOn, .nothing: break
    }
  }

  /// Whether the answer to the last grant was lost with its connection: then the attempt has not begun, and does not
  /// count.
  func isLastGrantUnheard(of job: LiveJob) -> Bool {
    guard !job.progress.seenRunning, job.progress.wasStarted, let run = job.run else { return false }
    return book.claims.isWelcomed(run.worker, since: run.number)
  }

  /// Records an attempt that was cut short, if one was. Its worker cannot tell any more: known is only what was heard
  /// while the attempt ran.
  func recordInterruption(_ attempt: Int?, of job: LiveJob, isTriedAgain: Bool = true, _ turn: Turn) throws {
    guard let attempt else { return }
    let failure = JobFailure(code: JobFailure.Code.interrupted, message: "its worker died or was lost")
    let record = AttemptRecord(
      number: attempt, worker: job.run?.worker, startedAt: job.run?.since, endedAt: time.now, end: .interrupted,
      failure: failure)
    try turn.ledger.record(record, of: job.number)
    if isTriedAgain { try turn.tellFailed(record, of: job, retryAt: nil) }
    turn.tally.countFailure(of: job.identity, isTriedAgain: isTriedAgain)
  }
}
