import Decisions
import JobModel
import JobTransport
import Logging

/// The coordinator's control messages, as a worker carries them out.
extension WorkerState {
  mutating func receive(_ message: ControlMessage, at now: Instant) {
    switch message {
    case .welcome(let welcome): receive(welcome, at: now)
    case .pulse(let number):
      act(.heard)
      pulses.hear(number)
    case .probe(let number, let since):
      tray.probed(number)
      if let since { sessionBegan = max(sessionBegan ?? since, since) }
      // The presence is made after this, and lists every delivery that was read before.
      act(.due(.presence))
    case .answers(let answers):
      noteSilence(at: now)
      for answer in answers { receive(answer, at: now) }
    case .staffing(let staffing): receive(staffing, at: now)
    case .void(let change): follow(tray.change(change), at: now)
    case .adopted(let releases): receive(adopted: releases)
    case .recorded(let releases): if early.recorded(releases) { act(.recordedEarly) }
    case .refused(let refused): note(refused)
    case .unreadable(let reason): act(.log(.warning, "a control message cannot be read: \(reason)"))
    }
  }

  private mutating func receive(_ welcome: Welcome, at now: Instant) {
    guard isConnected, welcome.session == session else { return }
    guard namesOnlyOwnDepartments(welcome) else {
      return act(
        .log(.warning, "its greeting named other departments when it reached the coordinator; greeting again"))
    }
    if let refusal = welcome.refusal { return leave(.notAllowed(refusal.message), at: now) }
    guard welcome.unknown.isEmpty else { return leave(.unknownDepartments(welcome.unknown), at: now) }
    noteLedgerChange(welcome)
    ledger = welcome.ledger
    epoch = welcome.epoch
    ledgerTime = CoordinatorTime(welcome)
    retries = welcome.retries
    lease = welcome.leaseMs.map { .milliseconds($0) }
    follow(tray.setVoid(welcome.void, ended: welcome.ended), at: now)
    tray.claimWaiting()
    receive(welcome.staffing, at: now)
    act(.sendProgressAgain)
    guard !isWelcomed else { return }
    isWelcomed = true
    showWhetherOpen()
    welcomedAt = now
    hasLoggedWaiting = false
    act(.due(.staffing))
    act(.due(.presence))
  }

  /// Not from a coordinator of this version, unless the message was damaged on its way.
  private mutating func note(_ refused: RefusedMessage) {
    act(
      .log(
        .warning, "the coordinator cannot use a message of type \(refused.type): \(refused.failure)",
        refused.release.map { ["job": "\($0.job)"] } ?? [:]))
  }

  private mutating func follow(_ news: Tray.VoidNews, at now: Instant) {
    for release in news.cancelled { cancelRun(release, .jobEnded) }
    for release in news.dropped { drop(release, at: now) }
  }

  /// Whether this worker serves every department that the welcome refuses. A refusal of another department answers a
  /// greeting that was damaged on its way: no reason to end. The next presence greets again.
  private func namesOnlyOwnDepartments(_ welcome: Welcome) -> Bool {
    let own = Set(tellers.departments.map(\.name))
    return own.isSuperset(of: welcome.unknown)
  }

  /// Ends a worker because of departments that do not exist, or that its user may not serve. A worker that was just
  /// started ends at once. A worker that has served before drains: the coordinator's configuration may have changed.
  private mutating func leave(_ error: WorkerError, at now: Instant) {
    guard ledger != nil else { return fail(error) }
    guard !isDraining else { return }
    act(.log(.error, "\(error); draining"))
    endOfDrain = .failed(error)
    drain(at: now)
  }

  private mutating func noteLedgerChange(_ welcome: Welcome) {
    guard let ledger, ledger != welcome.ledger else { return }
    tray.ledgerChanged()
    sessionBegan = nil
    tellers.forgetBegins()
    act(
      .log(
        .warning,
        """
        the coordinator has another ledger than before (\(welcome.ledger), before it was \(ledger)): going on with \
        it; what the earlier one released will be refused
        """))
  }

  private mutating func receive(_ answer: ClaimAnswer, at now: Instant) {
    switch tray.answered(answer) {
    case .start(let release, let token):
      guard case .run(_, let attempt) = answer.verdict else { return }
      start(release, token: token, attempt: attempt, at: now)
    case .ack(let tag):
      act(.ack(tag))
      guard let department = jobs[answer.release]?.department else { return }
      letGo(answer.release, in: department)
      serveWaiting(in: department, at: now)
    case .claim(let number): claim(answer.release, number: number)
    case .keep, .adopted, .drop, .giveBack, .ignored: break
    }
  }

  /// Adopts running jobs: they run without their messages from now on.
  private mutating func receive(adopted releases: [ReleaseID]) {
    for release in releases {
      if let tag = tray.adopted(release) { tagsToAck.append(tag) }
      guard tray.isAdopted(release), let department = jobs[release]?.department else { continue }
      tellers.adopt(release, in: department)
    }
    act(.due(.staffing))
  }
}
