import Decisions
import DequeModule
import JobModel
import Ledger
import Logging

extension Bookkeeper {
  /// Reads from the ledger all that the memory holds: at the start, and after a turn that could not be recorded.
  func reload() throws(LedgerError) {
    desks = configuration.departments.mapValues {
      Desk(isOrdered: $0.isOrdered, window: $0.window, cap: $0.cap)
    }
    forgetEverything()
    try ledger.write { transaction in
      try beginClock(transaction)
      for (department, desk) in desks where desk.isOrdered { try transaction.giveOrder(in: department) }
      // How much of a window the queue of a kind has depends on how many there are.
      kindQueues = KindQueues(try transaction.kindQueues())
      for job in inCountingOrder(try transaction.released()) { take(job) }
      for void in try transaction.voids() { take(void, of: try transaction.job(number: void.number)) }
      try countHeld(transaction)
      for department in try transaction.pausedDepartments() { self[desk: department].isPaused = true }
      unsent = Deque(try transaction.unsent(limit: Bookkeeper.unsentLimit))
      hasUnsentInLedger = unsent.count == Bookkeeper.unsentLimit
      nextDue = try transaction.nextDue(lead: clock.lead)
      nextTooLate = try transaction.nextStartBy()
      try reloadChores(transaction)
    }
    failure = nil
    isAgeCounted = false
    unfilled = Set(desks.keys)
    warnOfStrandedJobs()
  }

  private func forgetEverything() {
    released = LiveJobs()
    voids = VoidReleases()
    voidPlaces = [:]
    voidBeside = PlacesBeside()
    freshest = [:]
    chores = Chores()
    tooLateRound = TooLateRound()
    marks = Marks()
    // A firing that could not be recorded is due.
    agenda = nil
    waits.forgetAll()
    followers = Followers()
  }

  private func countHeld(_ transaction: LedgerTransaction) throws {
    for (department, levels) in try transaction.heldCounts() {
      for (level, count) in levels.enumerated() {
        if let priority = Priority(level) { self[desk: department].hold(.room, priority, count: count) }
      }
    }
    for (department, counts) in try transaction.dueCounts() {
      self[desk: department].hold(.time, .normal, count: counts.delayed)
      self[desk: department].hold(.jobs, .normal, count: counts.dependent)
    }
    for (department, count) in try transaction.withheldCounts(.handler) {
      self[desk: department].hold(.handler, .normal, count: count)
    }
    for (department, count) in try transaction.withheldCounts(.suspect) {
      self[desk: department].hold(.suspect, .normal, count: count)
    }
    for (department, states) in try transaction.counts() {
      for (state, count) in states where state.isFinal { self[desk: department].finish(state, count: count) }
    }
  }

  /// What was being done in steps goes on.
  private func reloadChores(_ transaction: LedgerTransaction) throws {
    chores.operations = try transaction.openOperations(limit: Chores.operationLimit)
    for operation in chores.operations { chores.clearing[operation.id] = clearedDepartments(by: operation) }
    waitedFor = WaitedFor()
    try transaction.eachDependency { waitedFor.add($0) }
    guard waitedFor.count > 0 else { return }
    var position: JobID?
    repeat {
      let ended = try transaction.finishedDependencyTargets(after: position, limit: Bookkeeper.dependentLimit)
      for target in ended.targets { chores.settle(target.id, target.state) }
      position = ended.position
    } while position != nil
  }

  /// Jobs of a department that is no longer in the configuration wait for it to come back: nobody may wait in silence.
  private func warnOfStrandedJobs() {
    for (department, desk) in desks where configuration.departments[department] == nil {
      let count = desk.heldCount + desk.releasedCount
      guard count > 0 else { continue }
      logger.warning(
        "jobs wait for a department that is not in the configuration: name it again",
        metadata: ["department": "\(department)", "jobs": "\(count)"])
    }
  }

  /// Begins to serve on a new connection: whatever was under way between coordinator and workers starts over, and every
  /// release that is not known to be in its queue is published again, to be claimed.
  func beginSession(_ session: SessionSignals, at now: Duration) throws(LedgerError) {
    (outbox, unsentArrived, choresArrived) = (session.outbox, session.unsentArrived, session.choresArrived)
    let undone = changes
    changes = [:]
    greeted = []
    served.goOn(at: self.now)
    for id in released.ids { released[id]?.progress.lastTaken = JobProgress.lastNumber(before: epoch) }
    countAges()
    voids = VoidReleases()
    for (release, place) in voidPlaces {
      voids.add(release, .ended, token: place.token)
      // What an earlier session was publishing has arrived by the time this one relies on it, or never will.
      voidPlaces[release]?.isSettled = true
    }
    chores.unpublished = Deque(
      released.values.filter { !$0.isConfirmed }.sorted { $0.number < $1.number }.map(\.release))
    try turn { turn in
      let workers = try turn.ledger.welcomedWorkers()
      let first = Claims.firstNumber(epoch: epoch, incarnation: try turn.ledger.nextIncarnation())
      claims = Claims(firstNumber: first, waitingFor: workers.map { ($0.id, since: $0.welcomedNumber) })
      quietUntil = quietEnd(try turn.ledger.epochBegan(), at: self.now)
      attendance.begin(at: now)
      for worker in workers { attendance.expect(worker, at: now) }
      try expectHandlers(of: workers, turn)
      tellVoids(turn)
      excuse(undone, turn)
      try claimOrphans(turn)
      try claimVoids(ofRenewed: turn)
      try fill(turn)
    }
  }

  /// What was released before this process began is as old as its first session.
  private func countAges() {
    guard !isAgeCounted else { return }
    isAgeCounted = true
    for id in released.ids { released[id]?.since = SessionClock.now }
    for release in voidPlaces.keys { voidPlaces[release]?.heldSince = SessionClock.now }
  }

  /// What an earlier session was about to change keeps its place; who asked for that is told.
  private func excuse(_ undone: [ReleaseID: Change], _ turn: Turn) {
    for (release, change) in undone {
      guard case .rerank(_, _, _, let address?) = change else { continue }
      let reason = "the coordinator had to begin anew before that was done; ask again"
      turn.tell(.failure(.cannotRerank(release.job, reason), address))
    }
  }

  /// Jobs without a message, because a worker that is given up by now had adopted them.
  func claimOrphans(_ turn: Turn) throws {
    guard !isQuiet else { return }
    for job in released.values {
      guard let worker = job.adoptedBy, !attendance.isWelcome(worker) else { continue }
      try carryOut(claims.claimForCoordinator(job.release), turn)
    }
    try carryOut(claims.flush(), turn)
  }

  /// The most notifications that are read from the ledger at once.
  static let unsentLimit = 10_000

  /// A department's desk. One that is no longer configured keeps its jobs, but gets none released.
  subscript(desk department: Department) -> Desk {
    get { desks[department] ?? Desk(isOrdered: false, window: 0) }
    set { desks[department] = newValue }
  }

  /// The ledger does not know who had a place of the shared window, and who one of a reserve. So of what lies in the queue
  /// of a kind those come last, of each level, that fit into its reserve: the others had shared ones.
  private func inCountingOrder(_ jobs: [ReleasedJob]) -> [ReleasedJob] {
    var left: [JobQueue: [Int]] = [:]
    var (first, last): ([ReleasedJob], [ReleasedJob]) = ([], [])
    for record in jobs.reversed() {
      let (queue, level) = (JobQueue(record.job.department, kind: record.job.kind), record.job.priority.level)
      let reserves = Priority.levels.map { _ in self[desk: queue.department].window.reserve }
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
    let slot = countReleased(job.priority, in: queue)
    var released = LiveJob(
      job, standing: record.standing, slot, releasedAt: job.releasedAt ?? job.acceptedAt,
      releasePriority: job.priority)
    released.isConfirmed = record.isConfirmed
    released.adoptedBy = record.adoptedBy
    released.isBeside = record.isBeside
    released.isLevelKnown = false
    if released.progress.wasStarted, let grant = record.grant {
      released.run = LiveJob.Run(worker: grant.worker, since: grant.at, number: grant.number)
    }
    // Whoever adopted it ran it, and perhaps nobody is left to say so.
    if record.adoptedBy != nil { _ = released.progress.apply(.seenRunning(release: released.release.number)) }
    self.released[job.id] = released
  }

  private func take(_ record: VoidRecord, of job: Job?) {
    let queue = JobQueue(record.department, kind: record.kind)
    let slot = countReleased(record.priority, in: queue)
    let isLast = job?.progress.release == record.release.number
    remember(
      record.release,
      VoidPlace(
        number: record.number, queue: queue, priority: record.priority, slot: slot, since: record.since,
        token: isLast ? job?.progress.token ?? record.release.number : record.release.number,
        isSettled: true))
  }
}
