@testable import Decisions
@testable import JobModel

extension World {
  /// Lets it happen.
  mutating func take(_ step: Step) {
    switch step {
    case .publish: publish()
    case .deliver(let index): deliver(to: index)
    case .read(let index): read(by: index)
    case .readAhead(let index): read(by: index, hasTeller: false)
    case .serve(let number, let index): serve(World.release(number), by: index)
    case .handBack(let index): handBack(by: index)
    case .doubt(let index):
      doubts += 1
      workers[index].tray.claimWaiting()
      let renewed = workers[index].tray.renewClaims()
      // A grant that is on its way starts nothing any more.
      workers[index].lapsed.subtract(renewed.map(\.release.number))
      if !renewed.isEmpty { ask(by: index) }
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
    case .releaseSuspect: releaseSuspect()
    case .restart: restart()
    case .operate(let operation): operate(operation)
    case .sendDropped(let index): sendDropped(by: index)
    case .sendReturned(let index): sendReturned(by: index)
    case .askAdoption(let index): askAdoption(by: index)
    case .arrive: arrive()
    case .lose: inFlight = nil
    case .publishLater: publishLater()
    case .deliverLater: deliverLater()
    case .publishThenCrash, .crash, .die, .cutOff, .brokerRestarts, .purge, .deleteQueue, .loseDisk, .cancelThenCrash,
      .dieAmid, .diePublishing, .rollBack, .expire:
      fail(step)
    }
    for index in workers.indices where !workers[index].lapsed.isEmpty {
      workers[index].lapsed.formIntersection(runnable(by: workers[index]))
    }
  }
}

// MARK: - The broker and the workers

extension World {
  private mutating func deliver(to index: Int) {
    let message = queue.removeFirst()
    // One teller: one delivery at a time is un-acked, so one tag serves; and another one for what is taken ahead.
    let tag: UInt64 = workers[index].unacked.contains { $0.tag == 1 } ? 2 : 1
    workers[index].unacked.append(Unacked(message: message, tag: tag))
    send(.delivery(message, tag: tag), to: index)
  }

  private mutating func read(by index: Int, hasTeller: Bool = true) {
    switch workers[index].wire.removeFirst() {
    case .delivery(let message, let tag): readDelivery(message, tag, by: index, hasTeller: hasTeller)
    case .probe(let number):
      workers[index].tray.probed(number)
      if workers[index].isConnected { announce(by: index) }
    case .answer(let release, let claim, let verdict):
      switch workers[index].tray.answered(release, claim: claim, verdict) {
      case .ack(let tag): ack(tag, by: index)
      case .start(_, let token): begins(token)
      case .adopted, .claim, .drop, .giveBack, .keep, .ignored: break
      }
    case .welcome(let void, let epoch):
      workers[index].consumes = true
      workers[index].epoch = epoch
      if has(.voidWelcome) { change(by: index) { $0.setVoid(void.map(World.release), ended: []) } }
      workers[index].tray.claimWaiting()
    case .void(let numbers):
      change(by: index) { $0.change(VoidChange(void: numbers.map(World.release))) }
    case .forgotten(let number):
      _ = workers[index].tray.change(VoidChange(forgotten: [World.release(number)]))
    case .adopted(let number):
      ack(workers[index].tray.adopted(World.release(number)), by: index)
    case .consumerEnded:
      if has(.consumesAnew) { cutOff(index, kept: 0) }
    }
  }

  private mutating func readDelivery(_ message: Message, _ tag: UInt64, by index: Int, hasTeller: Bool) {
    let release = World.release(message.number)
    let isDroppedAnyway = !has(.voidClaimed) && workers[index].tray.void.contains(release)
    let mustClaim = !runsUnclaimed(message, by: workers[index]) && !isDroppedAnyway
    let action = workers[index].tray.delivered(
      release, token: message.number, tag: tag, mustClaim: mustClaim, hasHandler: !setting.lacking.contains(index),
      hasTeller: hasTeller)
    switch action {
    case .claim: ask(by: index)
    case .ack(let tag): ack(tag, by: index)
    case .start: hasStarted()
    case .keep: workers[index].pool.insert(tag)
    case .adopted, .drop, .giveBack, .ignored: break
    }
  }

  /// The job's effect happens.
  private mutating func finish(by index: Int) {
    guard let running = workers[index].tray.running.min(by: { $0.release.number < $1.release.number }) else { return }
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
    guard let number = workers[index].sent.min() else { return }
    workers[index].sent.remove(number)
    let release = World.release(number)
    ack(workers[index].tray.reportConfirmed(release) ?? workers[index].tray.dropConfirmed(release), by: index)
  }

  private mutating func sendDropped(by index: Int) {
    let sent = workers[index].sent
    guard let release = workers[index].tray.dropping.first(where: { !sent.contains($0.number) }) else { return }
    workers[index].sent.insert(release.number)
    reports.append(.dropped(release.number))
  }

  private mutating func sendReturned(by index: Int) {
    let sent = workers[index].sent
    guard let release = workers[index].tray.givingBack.first(where: { !sent.contains($0.number) }) else { return }
    workers[index].sent.insert(release.number)
    reports.append(.returned(release.number))
  }

  private mutating func arrive() {
    guard let message = inFlight else { return }
    queue.append(message)
    inFlight = nil
    // The confirm of it reaches the coordinator that published it, if that still lives.
    if claims != nil, message.number == progress.release { isConfirmed = true }
  }

  private mutating func announce(by index: Int) {
    let worker = workers[index]
    let snapshot = Snapshot(
      probe: worker.tray.probe, running: worker.tray.listed, waiting: has(.waitingListed) ? worker.tray.mayBegin : [],
      asksWelcome: !worker.consumes)
    workers[index].presences.append(snapshot)
  }

  private mutating func askAgain(by index: Int) {
    if let claim = workers[index].tray.openClaims.first, isOpen(claim.release, claim.number, of: index) {
      crossings += 1
    }
    ask(by: index)
  }

  /// A claim may get through although the connection of the deliveries is lost.
  mutating func ask(by index: Int) {
    for claim in workers[index].tray.openClaims {
      reports.append(
        .claim(
          ClaimRequest(release: claim.release, ledger: World.ledger, worker: World.ids[index], number: claim.number)))
    }
  }

  private mutating func reconnect(_ index: Int) {
    workers[index].tray.disconnected()
    workers[index].pool = []
    // Whether they arrived is not known: they are sent again.
    if has(.resent) { workers[index].sent = [] }
    workers[index].isConnected = true
    workers[index].hasConsumer = true
    workers[index].consumes = false
    announce(by: index)
  }
}

// MARK: - The coordinator

extension World {
  mutating func publish() {
    queue.append(
      Message(number: progress.release, flagged: wasPublished && has(.claimFlag), epoch: epoch, isBeside: isBeside))
    wasPublished = true
    isConfirmed = true
  }

  private mutating func hearPresence(of index: Int) {
    let snapshot = workers[index].presences.removeFirst()
    // Of a worker that has died since: its presence welcomes it until its lease passes.
    claims?.welcome(World.ids[index])
    welcomed[index] = true
    noteWelcomes()
    let listing = snapshot.running.filter { counts($0) || !has(.presentToken) }
    see(listing)
    let running = listed(listing + snapshot.waiting.filter { counts($0) || !has(.presentToken) })
    carryOut { $0.present(World.ids[index], probe: snapshot.probe, running: running) }
    // A second one says what the first one and the changes behind it say.
    if snapshot.asksWelcome, !workers[index].wire.contains(where: \.isWelcome) {
      welcome(index)
    }
    carryOut { $0.flush() }
  }

  /// A batch of the reports queue.
  private mutating func record(_ batch: Int) {
    for report in reports.prefix(batch) {
      switch report {
      case .report(let number, let token): recordReport(number, token)
      case .dropped(let number): recordDropped(World.release(number))
      case .returned(let number): recordReturned(World.release(number))
      case .adopt(let number, let token, let index): recordAdoption(number, token, by: index)
      case .later: recordLater()
      case .fence(let number): carryOut(fenceReturned(number))
      case .claim(let request):
        recordClaim(request)
      }
    }
    reports.removeFirst(batch)
    carryOut { $0.flush() }
  }

  private mutating func recordClaim(_ request: ClaimRequest) {
    let isVoid = void.contains(request.release)
    if isVoid, !has(.voidConcluded) {
      carryOut([.answer(request, .drop)])
      return carryOut(takeBack(request.release, void.claimConcluded(request.release)))
    }
    let isCurrent = isVoid || isCurrent(request.release)
    carryOut { $0.claim(request, isCurrent: isCurrent) }
  }

  private mutating func recordReport(_ number: Int, _ token: Int) {
    let release = releaseID
    let reported = World.release(number)
    let effect = progress.apply(.reported(token: token, .succeeded(result: [], contentType: nil)))
    let step = has(.voidToken) ? void.reported(reported, token: token) : void.claimConcluded(reported)
    carryOut(takeBack(reported, step))
    if case .finish = effect { carryOut { $0.superseded(release) } }
    let isStale = isCurrent(reported) ? token != progress.token : void.contains(reported)
    if isStale, has(.staleClaimed) { claimGone([number]) }
  }

  private mutating func recordReturned(_ release: ReleaseID) {
    guard isCurrent(release) else {
      if void.contains(release) { claimGone([release.number]) }
      return
    }
    if has(.returnedUnconfirmed) { isConfirmed = false }
    isReturned = true
    guard has(.returnedClaim) else { return carryOut([.releaseAnew(release)]) }
    claimGone([release.number])
  }

  private mutating func leasePasses(of index: Int) {
    let id = World.ids[index]
    var takenBack = (claims?.lastKnown(of: id) ?? []).filter { isCurrent($0) || void.contains($0) }
    if has(.adoptClaimed), adoptedBy == index, isCurrent(releaseID) || void.contains(releaseID) {
      takenBack.insert(releaseID)
    }
    if workers[index].isAlive {
      if mayRunUnheard(workers[index]) { excuses += 1 }
      workers[index].lapsed.formUnion(runnable(by: workers[index]))
    }
    welcomed[index] = false
    carryOut { $0.leasePassed(id) }
    noteWelcomes()
    for release in takenBack where has(.lost) {
      void.messageGone(release)
      carryOut { $0.claimForCoordinator(release) }
    }
    carryOut { $0.flush() }
  }

  private mutating func restart() {
    startCoordinator(knowing: has(.welcomedList) ? World.ids.indices.filter { welcomed[$0] }.map { World.ids[$0] } : [])
    guard has(.adoptRestart), let adoptedBy, !welcomed[adoptedBy], isCurrent(releaseID) || void.contains(releaseID)
    else { return }
    claimGone([progress.release])
    carryOut { $0.flush() }
  }

  private mutating func suspectLost() {
    claimGone(suspects)
    carryOut { $0.flush() }
  }

  private mutating func claimGone(_ numbers: [Int]) {
    for number in numbers {
      void.messageGone(World.release(number))
      carryOut { $0.claimForCoordinator(World.release(number)) }
    }
  }

  mutating func welcome(_ index: Int) {
    send(.welcome(void: Set(void.entries.keys.map(\.number)), epoch: epoch), to: index)
  }

  private mutating func publishLater() {
    queue.append(.later)
    beforeLater = Set(suspects)
  }

  private mutating func deliverLater() {
    queue.removeFirst()
    reports.append(.later)
  }

  private mutating func recordLater() {
    claimGone(suspects.filter { beforeLater.contains($0) || !has(.order) })
    beforeLater = []
  }
}

extension World {
  /// Whether a worker runs something, or will, or has run it and not told.
  private func mayRunUnheard(_ worker: Worker) -> Bool {
    !worker.tray.running.isEmpty || !worker.startable.isEmpty || worker.wire.contains(where: startsRun)
      || worker.tray.reporting.contains { !worker.sent.contains($0.release.number) }
  }

  /// What a worker runs, or will when it reads what it was sent.
  func runnable(by worker: Worker) -> Set<Int> {
    var numbers = Set((worker.tray.running + worker.startable).map(\.release.number))
    for item in worker.wire where startsRun(item) {
      switch item {
      case .delivery(let message, _): numbers.insert(message.number)
      case .answer(let release, let claim, _):
        // One to an earlier number is ignored.
        if worker.tray.openClaims.contains(where: { $0.release == release && $0.number == claim }) {
          numbers.insert(release.number)
        }
      case .probe, .welcome, .void, .forgotten, .adopted, .consumerEnded: break
      }
    }
    return numbers
  }
}
