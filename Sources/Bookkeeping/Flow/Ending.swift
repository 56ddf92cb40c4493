import Decisions
import JobModel
import Ledger

/// The end of a job, wherever the job is and whatever the reason: recorded once, told to everyone who waits for it, and
/// its place given back.
struct Ending {
  let departments: Departments
  let releases: Releases
  let audience: Audience
  let dependents: Dependents
  let withdrawing: Withdrawing
  let time: LedgerTime

  /// The end of a released job that no worker has any more.
  func finish(_ job: LiveJob, _ outcome: Outcome, _ lastRun: LastRun, _ turn: Turn) throws {
    try withdrawing.abandonChange(of: job.release, because: "it has ended", turn)
    let ended = EndedJob(job, from: releases.live.state(of: job.id))
    releases[job.id] = nil
    departments.give(job.place)
    try withdrawing.supersede(job.release, turn)
    try conclude(ended, outcome, lastRun, turn)
  }

  /// Ends a job that has no outcome, wherever the job is: it is cancelled, or cannot be run any more. A worker that
  /// runs the job is told to stop; its report changes nothing then.
  func endJob(_ job: Job, _ event: JobTransition, _ turn: Turn) throws {
    if let live = releases[job.id] { return try endReleased(live, event, turn) }
    var job = job
    guard job.progress.state == .held, case .finish(let outcome) = job.progress.apply(event) else { return }
    departments.unhold(job.hold, job.priority, in: job.department)
    if job.isRestored { departments.countRestored(-1, in: job.department) }
    try conclude(EndedJob(job), outcome, LastRun(at: time.now), turn)
  }

  /// The release stays void, and keeps its place, until no worker can have it. A worker that claims it meanwhile is
  /// answered when it is certain that no other worker runs it.
  private func endReleased(_ job: LiveJob, _ event: JobTransition, _ turn: Turn) throws {
    var ended = job
    guard case .finish(let outcome) = ended.progress.apply(event) else { return }
    withdrawing.refuseChange(releases.void.change(of: job.release), of: job.release, because: "it has ended", turn)
    releases[job.id] = nil
    try withdrawing.makeVoid(job, turn)
    try conclude(EndedJob(ended, from: job.progress.visibleState), outcome, LastRun(at: time.now), turn)
  }

  private func conclude(_ job: EndedJob, _ outcome: Outcome, _ lastRun: LastRun, _ turn: Turn) throws {
    let notification = try turn.ledger.finish(
      job.number, job.progress, outcome, startedAt: lastRun.startedAt, finishedAt: lastRun.finishedAt,
      ran: lastRun.ran, by: lastRun.worker, of: job.identity)
    try dependents.forgetDependencies(of: job.number, open: job.openDependencies, turn)
    dependents.noteEnd(of: job.identity.id, outcome.state)
    departments.countFinished(outcome.state, in: job.identity.department)
    if outcome.state == .failed { departments.countUnsettled(1, in: job.identity.department) }
    turn.tally.timeEnd(of: job.identity, acceptedAt: job.acceptedAt, lastRun)
    turn.changed(
      JobChange(
        job: job.identity, plan: job.plan, from: job.before, to: outcome.state, outcome: outcome,
        notification: notification))
    let key = job.key.map { JobKey(kind: job.identity.kind, key: $0) }
    if let key { try turn.tellFreed(key, by: job.identity.id, at: lastRun.finishedAt) }
    audience.tellEnd(of: job.identity.id, outcome, to: job.reply, key: key, turn)
  }
}

/// A job at its end, from the memory or from the ledger.
private struct EndedJob {
  let number: Int64
  let identity: JobIdentity
  let plan: JobID?
  let progress: JobProgress
  let before: JobState
  let reply: ReplyAddress?
  let key: String?
  let openDependencies: Int
  let acceptedAt: Timestamp

  init(_ job: LiveJob, from before: JobState) {
    (number, identity, plan) = (job.number, job.identity, job.plan)
    (progress, reply, openDependencies) = (job.progress, job.reply, 0)
    (acceptedAt, key) = (job.acceptedAt, job.key)
    self.before = before
  }

  init(_ job: Job) {
    (number, identity, plan) = (job.number, job.identity, job.plan)
    (progress, reply, openDependencies) = (job.progress, job.reply, job.openDependencies)
    (acceptedAt, key) = (job.acceptedAt, job.key)
    before = .held
  }
}
