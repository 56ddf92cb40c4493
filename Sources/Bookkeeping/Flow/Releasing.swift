import Decisions
import DequeModule
import JobModel
import Ledger
import Logging

/// Step 3 of the flow: a job that has a place in its window is recorded as released, and its assignment is told.
struct Releasing {
  let departments: Departments
  let releases: Releases
  let roster: Roster
  let holding: Holding
  let ending: Ending
  let book: ClaimBook
  let time: LedgerTime
  let epoch: LedgerEpoch
  let ageing: Ageing
  let logger: Logger

  /// Releases a job that was accepted just now and found a place at once.
  func release(_ new: NewJob, _ number: Int64, _ place: WindowPlace, _ turn: Turn) throws {
    let job = new.job(number: number)
    let entry = LiveJob(
      job, place, standing: new.standing, releasedAt: job.acceptedAt, since: time.monotonic,
      releasePriority: job.priority)
    if place.isBeside {
      try makeKindQueue(place.queue, turn)
      try turn.ledger.save(entry.progress, of: number, releasedAt: nil, isBeside: true)
    }
    // `Accepting` has told the change.
    releases[job.id] = entry
    tell(entry, new.content, turn)
  }

  /// Releases a held job that has found a place; a job that comes too late ends instead.
  func release(_ held: HeldJob, _ place: WindowPlace, _ turn: Turn) throws {
    let (job, now) = (held.job, time.now)
    if job.isTooLate(at: now) { return try endTooLate(job, place, turn) }
    var entry = LiveJob(
      job, place, standing: held.standing, releasedAt: now, since: time.monotonic,
      releasePriority: ageing.releasePriority(job.priority, held.standing, at: now))
    entry.progress.lastTaken = epoch.lastTaken
    _ = entry.progress.apply(.lifted)
    try record(entry, turn)
    turn.budget.spend(bytes: held.content.payload.count)
    tell(entry, held.content, turn)
  }

  /// The job had to start by now, and was held, or no coordinator ran.
  private func endTooLate(_ job: Job, _ place: WindowPlace, _ turn: Turn) throws {
    departments.give(place)
    departments.hold(job.hold, job.priority, in: job.department)
    turn.budget.spend(bytes: 0)
    try ending.endJob(job, .failed(.tooLate()), turn)
  }

  /// The broker does not take the release: the job ends, since no worker can have it.
  func end(_ refused: RefusedRelease, _ turn: Turn) throws {
    guard var job = releases.live[refused.release] else { return }
    logger.error(
      "the broker does not take the message of a job, which fails",
      metadata: ["job": "\(job.id)", "department": "\(job.department)", "reason": "\(refused.reason)"])
    guard case .finish(let outcome) = job.progress.apply(.failed(.unpublishable(refused.reason))) else { return }
    try ending.finish(job, outcome, LastRun(at: time.now), turn)
  }

  /// Releases a job again whose attempt failed or was interrupted. The job keeps its place. The chores publish the
  /// releases that are too many for one turn.
  func releaseAgain(_ job: LiveJob, _ turn: Turn) throws {
    guard let queue = queue(for: job) else { return try holding.holdForHandler(job, turn) }
    var job = job
    job.place = departments.move(job.place, to: queue)
    (job.releasedAt, job.since) = (time.now, time.monotonic)
    (job.isReturned, job.isConfirmed, job.adoptedBy, job.run) = (false, false, nil, nil)
    (job.isLevelKnown, job.hasLostWorker) = (true, false)
    job.releasePriority = ageing.releasePriority(job.priority, job.standing, at: job.releasedAt)
    try record(job, turn)
    guard turn.budget.hasRoom else { return releases.publishLater(job.release) }
    guard let content = try turn.ledger.content(of: job.number) else { return }
    turn.budget.spend(bytes: content.payload.count)
    tell(job, content, turn)
  }

  /// The queue for a job that is released again; nil: the job has to wait for a handler. A job in the queue of its kind
  /// keeps its part of the window.
  private func queue(for job: LiveJob) -> JobQueue? {
    let route = holding.route(of: job.kind, in: job.department)
    let queue = JobQueue(job.department, kind: route == .kind ? job.kind : nil)
    let isFull = !job.place.isBeside && job.place.slot == .shared && !departments.mayShare(queue)
    return route == .nowhere || isFull ? nil : queue
  }

  private func record(_ job: LiveJob, _ turn: Turn) throws {
    if job.place.isBeside { try makeKindQueue(job.queue, turn) }
    try turn.ledger.save(job.progress, of: job.number, releasedAt: job.releasedAt, isBeside: job.place.isBeside)
    turn.put(job, in: releases)
  }

  /// Tells the assignment of a release. With `mustClaim` the worker asks before it runs the job.
  func tell(_ job: LiveJob, _ content: JobContent, mustClaim: Bool = false, _ turn: Turn) {
    let acceptedAt = content.isTraced ? time.clock.wallTime(of: job.acceptedAt) : nil
    turn.tell(
      .assignment(
        job.assignment(
          of: epoch.ledger, epoch: epoch.number, content, mustClaim: mustClaim, acceptedAt: acceptedAt)))
  }
}

// MARK: - Queues of kinds

extension Releasing {
  /// Has the queue of a kind made, if there is none; to be called before anything is released to it.
  func makeKindQueue(_ queue: JobQueue, _ turn: Turn) throws {
    guard let kind = queue.kind, departments.kindQueues.use(queue, isServed: roster.isServed(queue)) else { return }
    try turn.ledger.addKindQueue(queue)
    turn.tell(.makeQueue(queue))
    let names = roster.handlers.names(for: kind, in: queue.department)
    logger.notice(
      "not all workers have a handler for a kind: its jobs have a queue of their own until all have, or none",
      metadata: [
        "department": "\(queue.department)", "kind": "\(kind)",
        "with": "\(names.knowing.prefix(HandlerMap.nameLimit).joined(separator: ","))",
        "without": "\(names.lacking.prefix(HandlerMap.nameLimit).joined(separator: ","))",
      ])
  }
}

// MARK: - Publishing again

extension Releasing {
  /// Publishes the releases again that are not known to be in their queues, to be claimed.
  func publishAgain(_ turn: Turn) throws {
    while turn.budget.hasRoom, let release = releases.takeUnpublished() {
      // A release that is void by now was never published in this session: no message is on its way.
      releases.void.publishingIsOver([release])
      // The jobs of a department that is not configured, or refused by the broker, wait until it is back. A release in a queue that is being removed
      // is claimed when the queue is gone.
      guard let job = releases.live[release], !job.isConfirmed,
        // What was given back is released as a new message once that claim is concluded.
        !(job.isReturned && book.claims.isClaimedByCoordinator(release)),
        !departments[job.department].isUnreachable,
        let content = try turn.ledger.content(of: job.number), !departments.kindQueues.isClosing(job.queue)
      else { continue }
      // An earlier session may have removed its queue, and not come so far as to claim it.
      try makeKindQueue(job.queue, turn)
      releases.publishedAgain(job.id, at: time.monotonic)
      tell(job, content, mustClaim: true, turn)
      turn.budget.spend(bytes: content.payload.count)
    }
  }
}

extension Job {
  /// Whether its first attempt had to begin by now.
  fileprivate func isTooLate(at now: Timestamp) -> Bool {
    guard let startBy, !progress.hasBegun else { return false }
    return startBy <= now
  }
}
