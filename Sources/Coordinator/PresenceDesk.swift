import AMQP
import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Hears who is there, welcomes the new, and takes back what the silent had.
struct PresenceDesk {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let consumer: Consumer
  let outbox: Outbox

  static let batchLimit = 256

  func run() async throws {
    while let deliveries = await consumer.nextBatch(atMost: PresenceDesk.batchLimit) {
      bookkeeper.board.begin(HealthPart.presence)
      defer { bookkeeper.board.end(HealthPart.presence) }
      await outbox.room()
      let messages = deliveries.map(PresenceCodec.decode)
      let users = deliveries.map(\.properties.userID)
      let access = bookkeeper.configuration.access
      if zip(messages, users).contains(where: { $0 == .pulse && access.isOwn($1) }) {
        bookkeeper.board.renew(HealthPart.hearing)
      }
      let news = await bookkeeper.vetted(messages, from: users)
      try await bookkeeper.endIfBehind(news)
      if !news.isEmpty { try await bookkeeper.hear(news, at: SessionClock.now) }
      try await connections.consuming.ack(contentsOf: deliveries.map(\.deliveryTag))
    }
  }
}

extension Bookkeeper {
  func hear(_ batch: [PresenceMessage], at now: Duration) throws(LedgerError) {
    try turn { turn in
      for message in batch {
        switch message {
        case .presence(let presence): try hear(presence, at: now, turn)
        case .started(let started): hear(started, turn)
        case .pulse: break
        case .refused(let presence, let failure): refuse(presence, failure, turn)
        case .unreadable(let problem): logRefusal(.presence, problem, .warning)
        }
      }
      try carryOut(claims.flush(), turn)
      try fill(turn)
    }
  }

  private func hear(
    _ presence: Presence, at now: Duration, _ turn: Turn
  ) throws {
    // What an earlier connection of the worker said is stale.
    guard presence.session >= attendance.workers[presence.worker]?.session ?? 0 else { return }
    if presence.isGoodbye { return try dismiss(presence, turn) }
    let isKnown = attendance.isWelcome(presence.worker) && greeted.contains(presence.worker)
    if presence.ledger != ledger.id || !isKnown {
      try welcome(presence, at: now, turn)
    }
    // One that names a department which there is not was told so, and ends: nobody counts on it.
    guard attendance.isWelcome(presence.worker) else { return }
    attendance.saw(presence, at: now)
    noteHandlers(of: presence)
    for running in presence.running { see(running, by: presence.worker) }
    compareStaffing(presence, turn)
    stopStale(presence, turn)
    let actions = claims.present(
      presence.worker, probe: presence.probe, running: presence.running.filter(counts).map(\.release))
    try carryOut(actions, turn)
  }

  /// The worker is waited for from now on, also by a coordinator that starts after this one: recorded first, then told.
  private func welcome(
    _ presence: Presence, at now: Duration, _ turn: Turn
  ) throws {
    let names = presence.tellers.keys.sorted()
    let departments = names.compactMap { Department($0) }.filter { configuration.departments[$0] != nil }
    let unknown = names.filter { name in !departments.contains { $0.name == name } }
    let user = presence.user ?? ""
    // Also one that was given up, and is back.
    if let owner = try turn.ledger.owner(of: presence.worker), owner != user {
      return noteNotAllowed(.foreignWorker(presence.worker, presence.user))
    }
    if unknown.isEmpty {
      claims.welcome(presence.worker)
      var worker = WorkerRecord(
        id: presence.worker, name: presence.name, tellers: presence.tellers, session: presence.session, owner: user,
        kinds: presence.kinds, welcomedNumber: claims.welcomedNumber(of: presence.worker))
      worker.wanted = try turn.ledger.welcome(worker)
      attendance.expect(worker, at: now)
      greeted.insert(presence.worker)
    }
    logger.info("worker", metadata: ["name": "\(presence.name)", "departments": "\(names.joined(separator: ","))"])
    let void = voidReleases(of: departments)
    let welcome = Welcome(
      ledger: ledger.id, epoch: epoch, session: presence.session, departments: departments, unknown: unknown,
      staffing: staffing(of: presence.worker), void: void.void, ended: void.ended)
    turn.tell(.welcome(presence.worker, welcome))
  }

  /// Tells a worker that its user may not serve it. A worker of an earlier version understands that there are no such
  /// departments, and ends, too.
  private func refuse(_ presence: Presence, _ failure: JobFailure, _ turn: Turn) {
    guard !presence.isGoodbye else { return }
    let welcome = Welcome(
      ledger: ledger.id, epoch: epoch, session: presence.session, departments: [],
      unknown: presence.tellers.keys.sorted(), refusal: failure)
    turn.tell(.welcome(presence.worker, welcome))
  }

  private func dismiss(
    _ presence: Presence, _ turn: Turn
  ) throws {
    if let owner = try turn.ledger.owner(of: presence.worker), owner != presence.user ?? "" {
      return noteNotAllowed(.foreignWorker(presence.worker, presence.user))
    }
    // Also one that was given up.
    try turn.ledger.forget(presence.worker)
    greeted.remove(presence.worker)
    guard attendance.forget(presence.worker) != nil else { return }
    forgetHandlers(of: presence.worker)
    logger.info("worker left", metadata: ["name": "\(presence.name)"])
    try carryOut(claims.goodbye(presence.worker), turn)
  }

  private func see(_ running: RunningRelease, by worker: WorkerID) {
    let release = running.release
    guard counts(running), var job = released[release.job] else { return }
    guard job.progress.apply(.seenRunning(release: release.number)) == .show else { return }
    job.isConfirmed = true
    if job.run?.worker != worker { job.run = LiveJob.Run(worker: worker, since: now, number: claims.number) }
    released[release.job] = job
  }

  private func hear(_ started: Started, _ turn: Turn) {
    see(RunningRelease(release: started.release, token: started.token), by: started.worker)
    turn.tell(
      .live(
        Notification(
          seq: nil, job: started.release.job, kind: started.kind, department: started.department, event: "started",
          attempt: started.attempt, at: .now())))
  }

  /// Whether its own message has not come back for as long as no worker's may be missing, by what the parts have told: what
  /// it asks the broker on the same channel, for example, may keep it from hearing anybody.
  func isUnheard(_ signs: SignsOfLife, at now: Duration) -> Bool {
    signs.age(of: HealthPart.hearing, at: now).map { $0 > attendance.stallLimit } ?? true
  }

  /// Looks after the time: workers whose lease has passed, and waits that have reached their limit. `isBlocked`: nobody can
  /// be heard.
  func tick(at now: Duration, isBlocked: Bool) throws(LedgerError) {
    served.goOn(at: self.now)
    logSilentRefusals(at: now)
    // While the broker takes nothing from publishers, no worker can be heard; and while nothing that is decided gets out,
    // nobody listens.
    let isDeaf = isBlocked || outbox.wasFull(for: Attendance.presenceInterval, until: now)
    if isDeaf != attendance.isPaused { isDeaf ? attendance.pause(at: now) : attendance.resume(at: now) }
    let expired = attendance.tick(at: now)
    outbox.append(waits.expire(at: now))
    guard !expired.isEmpty else { return }
    try turn { turn in
      for worker in expired { try takeBack(from: worker, turn) }
      try carryOut(claims.flush(), turn)
      try fill(turn)
    }
  }

  /// A silent worker is no longer waited for, and what it was running is claimed by the coordinator itself.
  private func takeBack(
    from worker: WorkerID, _ turn: Turn
  ) throws {
    greeted.remove(worker)
    guard let entry = attendance.forget(worker) else { return }
    forgetHandlers(of: worker)
    let adopted = released.values.filter { $0.adoptedBy == worker }.map(\.release)
    let inHand = Set(releases(inHandOf: entry) + adopted)
    noteDeath(of: worker, entry, inHand: inHand)
    try turn.ledger.giveUp(worker, at: now)
    try carryOut(claims.leasePassed(worker), turn)
    for release in inHand where isClaimable(release) {
      // What it had comes back redelivered, if it comes back at all.
      voids.messageGone(release)
      try carryOut(claims.claimForCoordinator(release), turn)
    }
  }

  /// What counts of what a worker listed. What was of no department that is known when it was listed, because its job was
  /// held, may be of one by now which the worker's user may not serve.
  func releases(inHandOf entry: Attendance.Entry) -> [ReleaseID] {
    let listed = entry.running.filter(counts).map(\.release)
    guard let owner = entry.owner else { return listed }
    let pass = configuration.access.pass(of: owner.isEmpty ? nil : owner)
    return pass.isUnlimited ? listed : listed.filter { pass.refusal(of: .serve, in: department(of: $0)) == nil }
  }

  /// Whether it matters who has it: it is its job's current release, or keeps a place though it is void.
  func isClaimable(_ release: ReleaseID) -> Bool {
    released[release.job]?.release == release || voids.contains(release)
  }
}
