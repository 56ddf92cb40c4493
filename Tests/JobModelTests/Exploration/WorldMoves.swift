@testable import JobModel

extension World {
  /// Lets it happen.
  mutating func take(_ step: Step) {
    switch step {
    case .publish: publish()
    case .deliver(let index): deliver(to: index)
    case .read(let index): read(by: index)
    case .finish(let index): finish(by: index)
    case .sendReport(let index): sendReport(by: index)
    case .hearConfirm(let index): hearConfirm(by: index)
    case .announce(let index): announce(by: index)
    case .askAgain(let index): askAgain(by: index)
    case .reconnect(let index): reconnect(index)
    case .hearPresence(let index): hearPresence(of: index)
    case .record(let batch): record(batch)
    case .leasePasses(let index): leasePasses(of: index)
    case .suspectLost: suspectLost()
    case .restart: restart()
    case .publishThenCrash, .crash, .die, .cutOff, .brokerRestarts, .purge: fail(step)
    }
  }
}

// MARK: - The broker and the workers

extension World {
  private mutating func deliver(to index: Int) {
    let message = queue.removeFirst()
    // One teller: one delivery at a time is un-acked, so one tag serves.
    workers[index].unacked.append(Unacked(message: message, tag: 1))
    send(.delivery(message, tag: 1), to: index)
  }

  private mutating func read(by index: Int) {
    switch workers[index].wire.removeFirst() {
    case .delivery(let message, let tag):
      let mustClaim = !runsUnclaimed(message)
      let release = ReleaseID(job: World.job, number: message.number)
      let action = workers[index].tray.delivered(release, token: message.number, tag: tag, mustClaim: mustClaim)
      switch action {
      case .claim: ask(by: index)
      case .ack(let tag): ack(tag, by: index)
      case .start, .adopted, .drop, .ignored: break
      }
    case .probe(let number):
      workers[index].tray.probed(number)
      if workers[index].isConnected { announce(by: index) }
    case .answer(let release, let claim, let verdict):
      if case .ack(let tag) = workers[index].tray.answered(release, claim: claim, verdict) { ack(tag, by: index) }
    case .welcome:
      workers[index].consumes = true
    }
  }

  /// The job's effect happens.
  private mutating func finish(by index: Int) {
    guard let running = workers[index].tray.running.first else { return }
    workers[index].tray.finished(running.release)
    effects += 1
  }

  private mutating func sendReport(by index: Int) {
    let sent = workers[index].sent
    guard let report = workers[index].tray.reporting.first(where: { !sent.contains($0.release.number) }) else { return }
    workers[index].sent.insert(report.release.number)
    reports.append(.report(number: report.release.number, token: report.token))
  }

  private mutating func hearConfirm(by index: Int) {
    guard let number = workers[index].sent.popFirst() else { return }
    ack(workers[index].tray.reportConfirmed(ReleaseID(job: World.job, number: number)), by: index)
  }

  private mutating func announce(by index: Int) {
    let worker = workers[index]
    let snapshot = Snapshot(probe: worker.tray.probe, running: worker.tray.listed, asksWelcome: !worker.consumes)
    workers[index].presences.append(snapshot)
  }

  private mutating func askAgain(by index: Int) {
    if let claim = workers[index].tray.openClaims.first, isOpen(claim.release, claim.number, of: index) {
      crossings += 1
    }
    ask(by: index)
  }

  /// A claim may get through although the connection of the deliveries is lost.
  private mutating func ask(by index: Int) {
    for claim in workers[index].tray.openClaims {
      reports.append(
        .claim(
          ClaimRequest(release: claim.release, ledger: World.ledger, worker: World.ids[index], number: claim.number)))
    }
  }

  private mutating func reconnect(_ index: Int) {
    workers[index].tray.disconnected()
    // Whether they arrived is not known: they are sent again.
    workers[index].sent = []
    workers[index].isConnected = true
    workers[index].consumes = false
    announce(by: index)
  }
}

// MARK: - The coordinator

extension World {
  private mutating func publish() {
    queue.append(Message(number: progress.release, flagged: wasPublished && has(.claimFlag)))
    wasPublished = true
    isConfirmed = true
  }

  private mutating func hearPresence(of index: Int) {
    let snapshot = workers[index].presences.removeFirst()
    // Of a worker that has died since: its presence welcomes it until its lease passes.
    claims?.welcome(World.ids[index])
    welcomed[index] = true
    let running = listed(snapshot.running)
    carryOut { $0.present(World.ids[index], probe: snapshot.probe, running: running) }
    if snapshot.asksWelcome { send(.welcome, to: index) }
  }

  /// A batch of the reports queue.
  private mutating func record(_ batch: Int) {
    for report in reports.prefix(batch) {
      switch report {
      case .report(_, let token): recordReport(token)
      case .fence(let number): carryOut(fenceReturned(number))
      case .claim(let request):
        let isCurrent = isCurrent(request.release)
        carryOut { $0.claim(request, isCurrent: isCurrent) }
      }
    }
    reports.removeFirst(batch)
    carryOut { $0.flush() }
  }

  private mutating func recordReport(_ token: Int) {
    let release = releaseID
    guard case .finish = progress.apply(.reported(token: token, .succeeded(result: [], contentType: nil))) else {
      return
    }
    carryOut { $0.superseded(release) }
  }

  private mutating func leasePasses(of index: Int) {
    let id = World.ids[index]
    let takenBack = (claims?.lastKnown(of: id) ?? []).filter(isCurrent)
    if workers[index].isAlive, mayRunUnheard(workers[index]) { excuses += 1 }
    welcomed[index] = false
    carryOut { $0.leasePassed(id) }
    for release in takenBack where has(.lost) { carryOut { $0.claimForCoordinator(release) } }
    carryOut { $0.flush() }
  }

  private mutating func restart() {
    startCoordinator(knowing: has(.welcomedList) ? World.ids.indices.filter { welcomed[$0] }.map { World.ids[$0] } : [])
  }

  private mutating func suspectLost() {
    let release = releaseID
    carryOut { $0.claimForCoordinator(release) }
    carryOut { $0.flush() }
  }
}

extension World {
  /// Whether a worker runs something, or will, or has run it and not told.
  private func mayRunUnheard(_ worker: Worker) -> Bool {
    !worker.tray.running.isEmpty || worker.wire.contains(where: startsRun)
      || worker.tray.reporting.contains { !worker.sent.contains($0.release.number) }
  }
}
