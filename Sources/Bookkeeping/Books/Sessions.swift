import Decisions
import JobModel
import Ledger
import Logging

/// The memory, read from the ledger; and the beginning of a session on a new connection.
struct Sessions {
  let configuration: CoordinatorConfiguration
  let parts: Parts
  let withdrawing: Withdrawing
  let lost: LostReleases
  let gates: PlanGates
  let starting: PlanAccepting
  let logger: Logger

  /// Reads from the ledger all that the memory holds: at the start, and after a turn that could not be recorded.
  func reload(_ ledger: LedgerTransaction) throws {
    forgetEverything()
    let known = try ledger.clock()
    parts.time.begin(known)
    // At once: if this coordinator dies and the wall clock is changed, the next coordinator continues with this time.
    if known == nil { try ledger.saveClock(parts.time.clock.record(at: parts.time.machine)) }
    let departments = parts.departments
    for (department, books) in departments.books where books.isOrdered { try ledger.giveOrder(in: department) }
    // How much of a window the queue of a kind has depends on how many there are.
    departments.kindQueues = KindQueues(try ledger.kindQueues())
    for job in inCountingOrder(try ledger.released()) { take(job) }
    for void in try ledger.voids() { take(void, of: try ledger.job(number: void.number)) }
    try countHeld(ledger)
    for department in try ledger.pausedDepartments() { departments.close(department, for: .paused) }
    try gates.closeDepartments(by: ledger)
    parts.dueTimes.reload(
      nextDue: try ledger.nextDue(lead: parts.time.clock.lead), nextTooLate: try ledger.nextStartBy(),
      restoring: try ledger.restoring())
    parts.operations.reload(try ledger.openOperations(limit: OpenOperations.limit))
    try parts.dependents.reload(ledger)
    parts.flows.takeUp(try ledger.busyTimes())
    warnOfStrandedJobs()
    parts.departments.warnOfRestored(logger)
  }

  private func forgetEverything() {
    parts.departments.reset()
    parts.releases.forget()
    parts.search.forgetAll()
    parts.audience.forgetAll()
    parts.retaining.abandon()
    parts.unsent.forget()
    parts.rules.forget()
    parts.recordedEarly.forgetAll()
  }

  private func countHeld(_ ledger: LedgerTransaction) throws {
    let departments = parts.departments
    for (department, levels) in try ledger.heldCounts() {
      for (priority, count) in zip(Priority.all, levels) {
        departments.hold(.room, priority, in: department, count: count)
      }
    }
    for (department, counts) in try ledger.dueCounts() {
      departments.hold(.time, .normal, in: department, count: counts.delayed)
      departments.hold(.retry, .normal, in: department, count: counts.retrying)
      departments.hold(.jobs, .normal, in: department, count: counts.dependent)
    }
    for (department, count) in try ledger.restoredCounts() { departments.countRestored(count, in: department) }
    for (hold, reason) in [(Hold.handler, Withheld.handler), (.suspect, .suspect)] {
      for (department, count) in try ledger.withheldCounts(reason) {
        departments.hold(hold, .normal, in: department, count: count)
      }
    }
    for (department, count) in try ledger.unsettledCounts() { departments.countUnsettled(count, in: department) }
    for (department, states) in try ledger.counts() {
      for (state, count) in states where state.isFinal {
        departments.countFinished(state, in: department, count: count)
      }
    }
  }

  /// Jobs of a department that is no longer in the configuration wait for it to come back: nobody may wait in silence.
  private func warnOfStrandedJobs() {
    for (department, books) in parts.departments.books where configuration.departments[department] == nil {
      let count = books.heldCount + books.releasedCount
      guard count > 0 else { continue }
      logger.warning(
        "jobs wait for a department that is not in the configuration: name it again",
        metadata: ["department": "\(department)", "jobs": "\(count)"])
    }
  }
}

// MARK: - What is released

extension Sessions {
  /// The ledger does not know which jobs have a place of the shared window, and which one of a reserve. So of those in
  /// the queue of a kind the last of each level count first against its reserve, as far as that goes: the others had
  /// shared places.
  private func inCountingOrder(_ jobs: [ReleasedJob]) -> [ReleasedJob] {
    var left: [JobQueue: [Int]] = [:]
    var (first, last): ([ReleasedJob], [ReleasedJob]) = ([], [])
    for record in jobs.reversed() {
      let (queue, level) = (JobQueue(record.job.department, kind: record.job.kind), record.job.priority.level)
      let reserves = Priority.all.map { _ in parts.departments[queue.department].window.reserve }
      guard record.isBeside, left[queue, default: reserves][level] > 0 else {
        first.append(record)
        continue
      }
      left[queue, default: reserves][level] -= 1
      last.append(record)
    }
    return first.reversed() + last.reversed()
  }

  private func take(_ record: ReleasedJob) {
    let job = record.job
    let queue = JobQueue(job.department, kind: record.isBeside ? job.kind : nil)
    var released = LiveJob(
      job, parts.departments.takeRegardless(job.priority, in: queue, group: job.order?.group),
      standing: record.standing,
      releasedAt: job.releasedAt ?? job.acceptedAt, since: parts.time.monotonic, releasePriority: job.priority)
    released.isConfirmed = record.isConfirmed
    released.adoptedBy = record.adoptedBy
    released.isLevelKnown = false
    if released.progress.wasStarted, let grant = record.grant {
      released.run = LiveJob.Run(worker: grant.worker, since: grant.at, number: grant.number)
    }
    // The worker that adopted it ran it, and perhaps nobody is left to say so.
    if record.adoptedBy != nil { _ = released.progress.apply(.seenRunning(release: released.release.number)) }
    parts.releases[job.id] = released
  }

  private func take(_ record: VoidRecord, of job: Job?) {
    let queue = JobQueue(record.department, kind: record.kind)
    let isLast = job?.progress.release == record.release.number
    let place = VoidPlace(
      number: record.number,
      place: parts.departments.takeRegardless(record.priority, in: queue, group: job?.order?.group),
      since: record.since,
      heldSince: parts.time.monotonic, isPublishingOver: true)
    parts.departments.countVoid(1, in: record.department)
    parts.releases.void.add(
      record.release, .ended, token: isLast ? job?.progress.token ?? record.release.number : record.release.number,
      place: place)
  }
}

// MARK: - Sessions

extension Sessions {
  /// Begins to serve on a new connection: what was under way between coordinator and workers starts over, and every
  /// release that is not known to be in its queue is published again, to be claimed.
  func begin(at now: Duration, _ turn: Turn) throws {
    parts.time.served.goOn(at: parts.time.now)
    let undone = parts.releases.beginSession(at: parts.time.monotonic, lastTaken: parts.epoch.lastTaken)
    let workers = try turn.ledger.welcomedWorkers()
    let first = Claims.firstNumber(epoch: parts.epoch.number, incarnation: try turn.ledger.nextIncarnation())
    parts.book.claims = Claims(firstNumber: first, waitingFor: workers.map { ($0.id, since: $0.welcomedNumber) })
    parts.book.sessionBegan = parts.time.now
    beQuiet(after: try turn.ledger.epochBegan())
    parts.roster.begin(with: workers.map { ($0.id, $0.entry, $0.kinds) }, at: now)
    parts.departments.kindQueues.beginSession()
    try expectHandlers(turn)
    withdrawing.tellAll(turn)
    let reason = "the coordinator had to begin anew before that was done; ask again"
    for (release, change) in undone { withdrawing.refuseChange(change, of: release, because: reason, turn) }
    try starting.startOpening(at: parts.time.now, turn)
    guard !parts.epoch.isQuiet else { return }
    lost.claimOrphans()
    lost.claimVoids(of: parts.brokerQueues.takeRenewed())
  }

  /// The session goes on with another configuration, as the next one would begin with it. Departments that were added may
  /// have been there before, and have jobs.
  func proceed(added: Set<Department>, removed: Set<Department>, _ turn: Turn) throws {
    for department in added.sorted() {
      let books = parts.departments[department]
      if books.isOrdered, books.heldCount > 0 { try turn.ledger.giveOrder(in: department) }
    }
    try gates.closeDepartments(by: turn.ledger)
    try starting.startOpening(at: parts.time.now, turn)
    parts.releases.publishLater(of: added)
    warnOfRemoved(removed)
    parts.roster.greetAnew()
  }

  /// A name may be gone by mistake: the operator reads what that means for jobs and workers, and how all of it comes back.
  private func warnOfRemoved(_ departments: Set<Department>) {
    for department in departments.sorted() {
      let books = parts.departments[department]
      let (jobs, workers) = (books.heldCount + books.releasedCount, parts.roster.workersNaming(department))
      guard jobs + workers > 0 else { continue }
      logger.warning(
        """
        a department is no longer in the configuration: its jobs wait, and each of its workers ends with 78, also where \
        it serves other departments; if this is a mistake: name the department again, send SIGHUP, start the workers
        """, metadata: ["department": "\(department)", "jobs": "\(jobs)", "workers": "\(workers)"])
    }
  }

  private func beQuiet(after began: Timestamp?) {
    let end = LedgerEpoch.quietEnd(began, lease: configuration.lease, at: parts.time.now)
    parts.epoch.beQuiet(until: end)
    if end == nil {
      parts.departments.openAll(from: .rolledBack)
    } else {
      parts.departments.closeAll(for: .rolledBack)
    }
  }

  /// Until the jobs are looked after that are held for a handler, nothing overtakes them.
  private func expectHandlers(_ turn: Turn) throws {
    for (department, books) in parts.departments.books where books.unserved > 0 {
      parts.search.look(for: nil, in: department)
      for kind in try turn.ledger.withheldKinds(.handler, in: department, limit: HandlerSearch.kindLimit) {
        parts.departments.kindQueues.wait(for: JobQueue(department, kind: kind))
      }
    }
  }

  /// All workers have been heard, or given up: what was held back goes on.
  func endQuiet() {
    parts.epoch.beQuiet(until: nil)
    // Nothing has been published meanwhile: of what was cancelled, nothing is on its way any more.
    parts.releases.void.publishingIsOver(parts.releases.void.places.map(\.release))
    parts.departments.openAll(from: .rolledBack)
    lost.claimOrphans()
  }
}
