import Decisions
import JobModel
import JobTransport
import Logging

/// The coordinator's control messages, as a worker carries them out.
extension WorkerLoop {
  func receive(_ message: ControlMessage, _ acknowledgements: inout Acknowledgements) {
    switch message {
    case .welcome(let welcome): receive(welcome, &acknowledgements)
    case .pulse:
      board.renew(WorkerPart.hearing)
      pulses.heard += 1
    case .probe(let number):
      tray.probed(number)
      // The presence is made after this, and lists every delivery that was read before.
      link?.presenceDue.raise()
    case .answers(let answers): for answer in answers { receive(answer, &acknowledgements) }
    case .staffing(let staffing): receive(staffing, &acknowledgements)
    case .void(let change): follow(tray.change(change))
    case .adopted(let releases): receive(adopted: releases)
    case .recorded(let releases): early.recorded(releases)
    case .refused(let refused): note(refused)
    case .unreadable(let reason): logger.warning("a control message cannot be read: \(reason)")
    }
  }

  private func receive(_ welcome: Welcome, _ acknowledgements: inout Acknowledgements) {
    guard let link, welcome.session == link.session else { return }
    guard namesOnlyOwnDepartments(welcome) else {
      return logger.warning("its greeting named other departments when it reached the coordinator; greeting again")
    }
    if let refusal = welcome.refusal { return leave(.notAllowed(refusal.message)) }
    guard welcome.unknown.isEmpty else { return leave(.unknownDepartments(welcome.unknown)) }
    noteLedgerChange(welcome)
    ledger = welcome.ledger
    epoch = welcome.epoch
    ledgerTime = CoordinatorTime(welcome)
    retries = welcome.retries
    follow(tray.setVoid(welcome.void, ended: welcome.ended))
    tray.claimWaiting()
    receive(welcome.staffing, &acknowledgements)
    // A coordinator that has just started greets again, and knows no word.
    progress.putAllBack()
    guard !isWelcomed else { return }
    isWelcomed = true
    showWhetherOpen()
    welcomedAt = .now
    hasLoggedWaiting = false
    link.staffingDue.raise()
    link.presenceDue.raise()
  }

  /// Not from a coordinator of this version, unless the message was damaged on its way.
  private func note(_ refused: RefusedMessage) {
    let job = refused.release.map { ["job": "\($0.job)"] as Logger.Metadata } ?? [:]
    logger.warning("the coordinator cannot use a message of type \(refused.type): \(refused.failure)", metadata: job)
  }

  private func follow(_ news: Tray.VoidNews) {
    for release in news.cancelled { cancelRun(release, .jobEnded) }
    for release in news.dropped { drop(release) }
  }

  /// Whether this worker serves every department that the welcome refuses. A refusal of another department answers a
  /// greeting that was damaged on its way: no reason to end. The next presence greets again.
  private func namesOnlyOwnDepartments(_ welcome: Welcome) -> Bool {
    let own = Set(tellers.departments.map(\.name))
    return own.isSuperset(of: welcome.unknown)
  }

  /// Ends a worker because of departments that do not exist, or that its user may not serve. A worker that was just
  /// started ends at once. A worker that has served before drains: the coordinator's configuration may have changed.
  private func leave(_ error: WorkerError) {
    guard ledger != nil else { return fail(error) }
    guard !isDraining else { return }
    logger.error("\(error); draining")
    endOfDrain = .failed(error)
    drain()
  }

  private func noteLedgerChange(_ welcome: Welcome) {
    guard let ledger, ledger != welcome.ledger else { return }
    tray.ledgerChanged()
    tellers.forgetBegins()
    logger.warning(
      """
      the coordinator has another ledger than before (\(welcome.ledger), before it was \(ledger)): going on with \
      it; what the earlier one released will be refused
      """)
  }

  private func receive(_ answer: ClaimAnswer, _ acknowledgements: inout Acknowledgements) {
    switch tray.answered(answer) {
    case .start(let release, let token):
      guard case .run(_, let attempt) = answer.verdict else { return }
      start(release, token: token, attempt: attempt)
    case .ack(let tag):
      acknowledgements.acks.append(tag)
      guard let job = jobs[answer.release] else { return }
      letGo(answer.release, of: job)
      serveWaiting(in: job.department, &acknowledgements)
    case .claim(let number): claim(answer.release, number: number)
    case .keep, .adopted, .drop, .giveBack, .ignored: break
    }
  }

  /// Adopts running jobs: they run without their messages from now on.
  private func receive(adopted releases: [ReleaseID]) {
    for release in releases {
      if let tag = tray.adopted(release) { tagsToAck.append(tag) }
      guard tray.isAdopted(release), let job = jobs[release] else { continue }
      tellers.adopt(release, in: job.department)
    }
    link?.staffingDue.raise()
  }
}
