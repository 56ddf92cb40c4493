import Decisions
import JobModel
import Ledger
import Logging

/// Hears workers: welcomes a new one, notes which jobs each runs, and lets it go when it leaves.
struct Hearing {
  let configuration: CoordinatorConfiguration
  let roster: Roster
  let releases: Releases
  let book: ClaimBook
  let claiming: Claiming
  let withdrawing: Withdrawing
  let search: HandlerSearch
  let staffing: WorkerStaffing
  let refusals: Refusals
  let time: LedgerTime
  let epoch: LedgerEpoch
  let logger: Logger

  func hear(_ batch: [PresenceMessage], at now: Duration, _ turn: Turn) throws {
    var progress = HeardProgress()
    for message in batch {
      switch message {
      case .presence(let presence): try hear(presence, at: now, turn)
      case .started(let started): hear(started, turn)
      case .progress(let news): progress.add(news)
      case .pulse: break
      case .refused(let presence, let failure): refuse(presence, failure, turn)
      case .flawed(let flawed):
        refusals.note(.presence, flawed.reason, .warning)
        turn.answer(flawed)
      }
    }
    hear(progress, turn)
  }

  private func hear(_ presence: Presence, at now: Duration, _ turn: Turn) throws {
    // A presence of an earlier connection of the worker is stale.
    let known = roster.workers[presence.worker]
    guard presence.session >= known?.session ?? 0 else { return }
    if let known, presence.session > known.session {
      releases.connectionEnded(to: known.tellers.named, at: time.monotonic)
      book.claims.reconnected(presence.worker)
    }
    if presence.isGoodbye { return try dismiss(presence, turn) }
    let isGreeted = known?.isGreeted == true
    if presence.ledger != epoch.ledger || !isGreeted { try welcome(presence, at: now, turn) }
    // A worker that names an unknown department was told so, and ends: nobody counts on it.
    guard roster.isWelcome(presence.worker) else { return }
    if roster.saw(presence, at: now) {
      search.look(for: presence.kinds, in: presence.isDraining ? [] : presence.tellers.served)
    }
    if let until = roster.drain(presence, at: time.now) { try turn.ledger.setDrain(of: presence.worker, until: until) }
    for running in presence.running { see(running, by: presence.worker, turn) }
    noteMessages(of: presence)
    staffing.compare(presence, turn)
    stopStale(presence, turn)
    let counting = presence.mayRun.filter(releases.counts).map(\.release)
    try claiming.carryOut(
      book.claims.present(presence.worker, probe: presence.probe, running: counting), turn)
  }

  /// The worker is waited for from now on, also by a coordinator that starts later: this is recorded, then told.
  private func welcome(_ presence: Presence, at now: Duration, _ turn: Turn) throws {
    let names = presence.tellers.keys.sorted()
    let departments = names.compactMap { Department($0) }.filter { configuration.departments[$0] != nil }
    let unknown = names.filter { name in !departments.contains { $0.name == name } }
    // This is asked of a worker that was given up and is back, too.
    guard try isOwn(presence, turn) else { return }
    if unknown.isEmpty { try record(presence, at: now, turn) }
    logger.info("worker", metadata: ["name": "\(presence.name)", "departments": "\(names.joined(separator: ","))"])
    let void = withdrawing.voidReleases(of: departments)
    let welcome = Welcome(
      ledger: epoch.ledger, epoch: epoch.number, session: presence.session, departments: departments, unknown: unknown,
      staffing: staffing.orders(for: presence.worker), void: void.void, ended: void.ended,
      retries: retries(of: presence.kinds ?? []), sentMs: presence.sentMs, atMs: time.now.milliseconds,
      leaseMs: Int64(configuration.lease / .milliseconds(1)))
    turn.tell(.welcome(presence.worker, welcome))
  }

  private func retries(of kinds: Set<JobKind>) -> [JobKind: RetrySettings] {
    kinds.reduce(into: [:]) { $0[$1] = configuration.kinds[$1]?.retry }
  }

  private func record(_ presence: Presence, at now: Duration, _ turn: Turn) throws {
    book.claims.welcome(presence.worker)
    var worker = WorkerRecord(
      id: presence.worker, name: presence.name, tellers: presence.tellers, session: presence.session,
      owner: presence.user ?? "", kinds: presence.kinds,
      welcomedNumber: book.claims.welcomedNumber(of: presence.worker))
    worker.wanted = try turn.ledger.welcome(worker)
    (worker.isToDrain, worker.drainsUntil) = try turn.ledger.drain(of: worker.id)
    roster.expect(worker.id, worker.entry, at: now)
    roster.greet(worker.id)
  }

  /// Whether no other user has announced the worker's id first.
  private func isOwn(_ presence: Presence, _ turn: Turn) throws -> Bool {
    guard let owner = try turn.ledger.owner(of: presence.worker), !owner.isExactly(presence.user ?? "") else {
      return true
    }
    refusals.noteNotAllowed(.foreignWorker(presence.worker, presence.user))
    return false
  }

  /// Tells a worker that its user may not serve it.
  private func refuse(_ presence: Presence, _ failure: JobFailure, _ turn: Turn) {
    guard !presence.isGoodbye else { return }
    let welcome = Welcome(
      ledger: epoch.ledger, epoch: epoch.number, session: presence.session, departments: [],
      unknown: presence.tellers.keys.sorted(), refusal: failure)
    turn.tell(.welcome(presence.worker, welcome))
  }

  private func dismiss(_ presence: Presence, _ turn: Turn) throws {
    guard try isOwn(presence, turn) else { return }
    // Also a worker that was given up.
    try turn.ledger.forget(presence.worker)
    guard let entry = roster.forget(presence.worker) else { return }
    releases.connectionEnded(to: entry.tellers.named, at: time.monotonic)
    search.lookAround()
    logger.info("worker left", metadata: ["name": "\(presence.name)"])
    try claiming.carryOut(book.claims.goodbye(presence.worker), turn)
  }
}

// MARK: - Runs

extension Hearing {
  private func see(_ running: RunningRelease, by worker: WorkerID, _ turn: Turn) {
    let release = running.release
    guard releases.counts(running), var job = releases[release.job] else { return }
    guard job.progress.apply(.seenRunning(release: release.number)) == .show else { return }
    job.isConfirmed = true
    if job.run?.worker != worker {
      job.run = LiveJob.Run(worker: worker, since: time.now, number: book.claims.number)
    }
    turn.put(job, in: releases)
  }

  private func hear(_ started: Started, _ turn: Turn) {
    see(RunningRelease(release: started.release, token: started.token), by: started.worker, turn)
    turn.tell(
      .live(
        Notification(
          seq: nil, job: started.release.job, kind: started.kind, department: started.department, event: "started",
          attempt: started.attempt, at: time.clock.wallTime(of: time.now))))
  }

  /// Keeps how far each run has come, and tells the watches.
  private func hear(_ progress: HeardProgress, _ turn: Turn) {
    let now = time.clock.wallTime(of: time.now)
    var toldCount = 0
    for (run, worker) in progress.latest {
      var said = run.progress
      said.heardAt = now
      guard let job = releases.live.note(said, of: run.running) else { continue }
      see(run.running, by: worker, turn)
      guard toldCount < HeardProgress.tellLimit else { continue }
      toldCount += 1
      turn.tell(
        .progress(
          Notification(
            seq: nil, job: job.id, kind: job.kind, department: job.department, event: "progress",
            attempt: job.progress.attempt, at: now, progress: said.fraction, text: said.text)))
    }
  }

  /// A release that the worker is going to claim says nothing about runs. But its message is not lost.
  private func noteMessages(of presence: Presence) {
    for waiting in presence.waiting where releases.live.isCurrent(waiting.release) {
      releases[waiting.release.job]?.claimedAt = time.monotonic
    }
  }

  /// Tells a worker to end the runs that another worker was granted meanwhile, and not to begin such releases. A void
  /// release needs no such word: all workers were told that it has ended.
  private func stopStale(_ presence: Presence, _ turn: Turn) {
    for running in presence.mayRun where !releases.counts(running) && !releases.void.contains(running.release) {
      turn.tell(.stop(presence.worker, running.release))
    }
  }
}

extension Presence {
  /// The releases that run, and those that the worker may begin at any moment. No other worker may be granted them.
  fileprivate var mayRun: [RunningRelease] {
    waiting.isEmpty ? running : running + waiting.filter { !$0.mustClaim }.map(\.run)
  }
}

extension WorkerRecord {
  /// The worker, for the roster.
  var entry: Roster.Entry {
    Roster.Entry(
      name: name, tellers: tellers, session: session, owner: owner, wanted: wanted, isToDrain: isToDrain,
      drainsUntil: drainsUntil)
  }
}
