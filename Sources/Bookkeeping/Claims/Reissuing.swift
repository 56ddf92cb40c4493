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
  let dueTimes: DueTimes
  let time: LedgerTime
  let chance: Chance
  let logger: Logger

  func releaseAnew(_ release: ReleaseID, because event: JobTransition, _ turn: Turn) throws {
    guard var job = releases.live[release] else { return }
    let losses = try unreportedLosses(of: job, because: event, turn)
    guard losses <= UnusedAttempts.lossLimit else { return try endUnreported(job, turn) }
    let next = job.releaseAnew(because: event, isLastUnheard: isLastGrantUnheard(of: job))
    guard case .goesOn(let interrupted) = next else { return try endOrWithhold(job, next, turn) }
    try recordInterruption(interrupted, of: job, turn)
    try withdrawing.supersede(release, turn)
    guard losses > 1, job.progress.apply(.heldBack) == .hold else { return try releasing.releaseAgain(job, turn) }
    let until = time.now + RetrySettings().delay(afterAttempt: losses - 1, random: chance.fraction)
    try holding.hold(job, until: until, turn)
    dueTimes.expectDue(until)
  }

  /// A release is gone, and no worker has said that it had begun; if it was granted to one, that worker lives. Once that is
  /// as good as any loss of a message. What happens again and again has another cause, such as a worker whose reports
  /// cannot be read: so it counts, the job waits longer each time, and comes to an end.
  ///
  /// - Returns: How often that has happened, with this time; 0: this is no such loss.
  private func unreportedLosses(of job: LiveJob, because event: JobTransition, _ turn: Turn) throws -> Int {
    // One line of the log names all jobs that a dead worker ran.
    guard event == .foundLost, !job.progress.wasStarted || isLastGrantUnheard(of: job) else { return 0 }
    logger.notice("job was lost", metadata: ["job": "\(job.id)"])
    if job.hasLostWorker || job.adoptedBy != nil { return 0 }
    turn.tally.lostReleases.append(job.queue)
    // What may run at most once, and was granted, has its end, and that is recorded as an attempt.
    if job.progress.wasStarted, job.progress.maxAttempts == 1 { return 0 }
    let record = AttemptRecord(
      number: job.progress.attempt, worker: nil, startedAt: nil, endedAt: time.now, end: .interrupted,
      failure: .unreported())
    try turn.ledger.record(record, of: job.number)
    return try turn.ledger.unusedAttempts(of: job.number).losses
  }

  private func endUnreported(_ job: LiveJob, _ turn: Turn) throws {
    var job = job
    guard case .finish(let outcome) = job.progress.apply(.failed(.unreported())) else { return }
    try ending.finish(job, outcome, LastRun(at: time.now), turn)
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
