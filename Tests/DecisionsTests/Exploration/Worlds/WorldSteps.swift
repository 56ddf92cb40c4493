@testable import Decisions
@testable import JobModel

extension World {
  /// One thing that can happen next.
  enum Step: Hashable {
    case publish
    case deliver(to: Int)
    case read(by: Int)
    /// A delivery is read while other jobs keep the teller busy.
    case readAhead(by: Int)
    /// A teller is free for what was taken ahead.
    case serve(number: Int, by: Int)
    /// A consumer is cancelled: what it brought and waits goes back.
    case handBack(by: Int)
    case doubt(by: Int)
    case finish(by: Int)
    case sendReport(by: Int)
    case hearConfirm(by: Int)
    case announce(by: Int)
    case askAgain(by: Int)
    case reconnect(Int)
    case hearPresence(of: Int)
    case record(batch: Int)
    case leasePasses(of: Int)
    case suspectLost
    /// The turn of a suspect has come.
    case releaseSuspect
    case restart
    case operate(Operation)
    case sendDropped(by: Int)
    case sendReturned(by: Int)
    case askAdoption(by: Int)
    case arrive
    case lose
    case publishLater
    case deliverLater
    // Faults.
    case publishThenCrash
    case crash
    case die(Int)
    /// `kept`: how much of the wire is in the worker's socket already.
    case cutOff(Int, kept: Int)
    case brokerRestarts(kept: [Int], presenceKept: Bool)
    case purge
    case deleteQueue
    case loseDisk(kept: [Int], presenceKept: Bool)
    case cancelThenCrash
    /// `isTold`: what the turn had to say was sent.
    case dieAmid(Turn, isTold: Bool)
    /// A release is on its way, and arrives at some time or never.
    case diePublishing
    case rollBack(isReleased: Bool)
    /// The presences of this worker that are on their way are gone.
    case expire(Int)
  }

  /// Everything that can happen next.
  func steps() -> [Step] {
    if isOver { return [] }
    var steps = brokerSteps() + coordinatorSteps()
    for index in workers.indices where workers[index].isAlive { steps += workerSteps(index) }
    if faults < setting.faults.count { steps += faultSteps(setting.faults[faults]) }
    steps += operationSteps()
    return steps
  }

  private func brokerSteps() -> [Step] {
    let arrival: [Step] = inFlight == nil ? [] : [.arrive]
    guard let first = queue.first else { return arrival }
    if first.isLater {
      return arrival + (workers.contains { $0.isConnected && $0.takesDeliveries } ? [.deliverLater] : [])
    }
    return arrival
      + workers.indices
      .filter { workers[$0].isConnected && workers[$0].takesDeliveries && workers[$0].unacked.count < prefetch }
      .filter { !first.isBeside || !setting.lacking.contains($0) }
      .map { .deliver(to: $0) }
  }

  private var prefetch: Int { setting.takesAhead ? 2 : 1 }

  private func workerSteps(_ index: Int) -> [Step] {
    let worker = workers[index]
    var steps: [Step] = []
    if !worker.wire.isEmpty { steps.append(.read(by: index)) }
    if setting.takesAhead { steps += aheadSteps(index) }
    if !worker.tray.running.isEmpty { steps.append(.finish(by: index)) }
    if worker.tray.dropping.contains(where: { !worker.sent.contains($0.number) }) {
      steps.append(.sendDropped(by: index))
    }
    if worker.tray.givingBack.contains(where: { !worker.sent.contains($0.number) }) {
      steps.append(.sendReturned(by: index))
    }
    guard worker.isConnected else { return worker.wire.isEmpty ? steps + [.reconnect(index)] : steps }
    if worker.tray.reporting.contains(where: { !worker.sent.contains($0.release.number) }) {
      steps.append(.sendReport(by: index))
    }
    if !worker.sent.isEmpty { steps.append(.hearConfirm(by: index)) }
    if isHeardOf(index) { steps.append(.announce(by: index)) }
    if asksAgain(index) { steps.append(.askAgain(by: index)) }
    if asksAdoption(index) { steps.append(.askAdoption(by: index)) }
    return steps
  }

  private func aheadSteps(_ index: Int) -> [Step] {
    let worker = workers[index]
    var steps: [Step] = []
    if case .delivery = worker.wire.first { steps.append(.readAhead(by: index)) }
    for release in worker.waiting where worker.tray.tag(of: release).map(worker.pool.contains) == true {
      steps.append(.serve(number: release.number, by: index))
    }
    if doubts < setting.mostDoubts, !worker.startable.isEmpty || !worker.tray.openClaims.isEmpty {
      steps.append(.doubt(by: index))
    }
    if worker.isConnected, !worker.pool.isEmpty, handBacks < setting.mostHandBacks {
      steps.append(.handBack(by: index))
    }
    return steps
  }

  /// Asking while the question or the answer is still on its way is bounded; once the answer is in the worker's socket, a
  /// question more adds nothing new.
  private func asksAgain(_ index: Int) -> Bool {
    guard let claim = workers[index].tray.openClaims.first else { return false }
    return !workers[index].wire.contains { $0.isAnswer(to: claim.number) }
      && !reports.contains { $0.isClaim(claim.number, of: index) }
      && (crossings < setting.crossings || !isOpen(claim.release, claim.number, of: index))
  }

  /// Whether the coordinator has the question.
  func isOpen(_ release: ReleaseID, _ number: Int, of index: Int) -> Bool {
    claims?.open[release]?.contains { claim in
      if case .worker(let request) = claim.claimant {
        request.worker == World.ids[index] && request.number == number
      } else {
        false
      }
    } == true
  }

  /// Presences are sent all the time; only those that could change something are explored.
  private func isHeardOf(_ index: Int) -> Bool {
    guard let claims, workers[index].presences.isEmpty else { return false }
    // An echo older than a probe that is on its way says nothing, unless numbers come again.
    let isAboutToEcho = workers[index].wire.contains { $0.isProbe(atLeast: 0) || $0.isWelcome }
    guard !isAboutToEcho || !has(.numbers) else { return false }
    return claims.isWaiting(for: World.ids[index]) || !claims.welcomed.contains(World.ids[index])
      || !workers[index].consumes
  }

  func coordinatorSteps() -> [Step] {
    guard let claims else { return restarts() }
    var steps: [Step] = []
    if progress.state == .queued, !isConfirmed, !isReturned, inFlight == nil || !has(.lock) {
      steps.append(.publish)
    }
    for index in workers.indices {
      if !workers[index].presences.isEmpty {
        steps.append(.hearPresence(of: index))
      } else if mayBeGivenUp(workers[index]), isMissed(index, claims) {
        steps.append(.leasePasses(of: index))
      }
    }
    if progress.state == .held { steps.append(.releaseSuspect) }
    if !reports.isEmpty { steps.append(.record(batch: 1)) }
    // Two claims of one batch share a probe; other batches are the same as one after the other.
    if reports.count > 1, reports[0].isClaim, reports[1].isClaim { steps.append(.record(batch: 2)) }
    if maySuspectLost(claims) { steps.append(.suspectLost) }
    if mayPublishLater { steps.append(.publishLater) }
    return steps
  }

  /// Leases that pass are explored where it matters.
  private func isMissed(_ index: Int, _ claims: Claims) -> Bool {
    let isListed = setting.isCrowded && !claims.lastKnown(of: World.ids[index]).isEmpty
    return claims.isWaiting(for: World.ids[index]) || isListed || (adoptedBy == index && welcomed[index])
  }

  private var mayPublishLater: Bool {
    setting.isPassing && !(progress.state.isFinal && voidRecords.isEmpty) && inFlight == nil && !queue.contains(.later)
      && !reports.contains(.later) && claims?.isEmpty == true && isQuiet
  }

  private func mayBeGivenUp(_ worker: Worker) -> Bool {
    setting.isPatient ? !worker.isAlive : !worker.isConnected
  }

  /// What an earlier coordinator was publishing has arrived or is lost by the time a new one relies on it.
  private func restarts() -> [Step] {
    guard inFlight != nil else { return [.restart] }
    return has(.voidPublished) && has(.lock) ? [.lose] : [.lose, .restart]
  }

  private func maySuspectLost(_ claims: Claims) -> Bool {
    has(.lost) && !suspects.isEmpty && (isGone || !has(.gone)) && claims.isEmpty && isQuiet && !isAboutToBeClaimed
  }

  /// What waits in a worker's hands to be claimed is listed, and not taken for lost. Each release of what was running at a
  /// death is claimed, and could be taken for lost before that, again and again. But
  /// for each time it would have to be as old as a lease.
  private var isAboutToBeClaimed: Bool {
    if workers.contains(where: { $0.isConnected && $0.tray.isToBeClaimed(releaseID) }) { return true }
    return progress.deaths > 0 && workers.contains { $0.unacked.contains { $0.message.number == progress.release } }
  }

  /// Whether all probes have been echoed and heard.
  private var isQuiet: Bool {
    workers.allSatisfy { $0.presences.isEmpty && !$0.wire.contains { $0.isProbe(atLeast: 0) } }
  }

  /// Whether nothing of the job is in the queue, as far as the coordinator can see.
  private var isGone: Bool { queue.isEmpty && !setting.isCrowded }

  /// What the coordinator would claim for itself.
  var suspects: [Int] {
    let void = has(.voidPublished) && inFlight != nil ? [] : voidRecords.sorted()
    return progress.state == .queued && isConfirmed ? void + [progress.release] : void
  }

  private func faultSteps(_ kinds: Set<Fault>) -> [Step] {
    var steps: [Step] = []
    if kinds.contains(.crash), claims != nil {
      steps.append(.crash)
      if progress.state == .queued, !isConfirmed, inFlight == nil { steps.append(.publishThenCrash) }
      if mayOperate(.cancel) { steps.append(.cancelThenCrash) }
    }
    if kinds.contains(.death) { steps += workers.indices.filter { workers[$0].isAlive }.map { .die($0) } }
    if kinds.contains(.cutOff) { for index in workers.indices { steps += cuts(index) } }
    if kinds.contains(.brokerRestart), isTouchedByBroker {
      steps += losses().map { .brokerRestarts(kept: $0.kept, presenceKept: $0.presenceKept) }
    }
    if kinds.contains(.diskLoss), isTouchedByBroker || !reports.isEmpty {
      steps += losses().map { .loseDisk(kept: $0.kept, presenceKept: $0.presenceKept) }
    }
    if kinds.contains(.deletion), isTouchedByBroker { steps.append(.deleteQueue) }
    if kinds.contains(.takeover) { steps += takeovers() }
    if kinds.contains(.rollback), claims != nil {
      steps += [.rollBack(isReleased: true), .rollBack(isReleased: false)]
    }
    if kinds.contains(.expiry) {
      steps += workers.indices.filter { !workers[$0].presences.isEmpty }.map { .expire($0) }
    }
    if kinds.contains(.purge), !queue.isEmpty { steps.append(.purge) }
    return steps
  }

  private func cuts(_ index: Int) -> [Step] {
    let worker = workers[index]
    guard worker.isConnected, isInvolved(worker) else { return [] }
    return (0...worker.wire.count).map { .cutOff(index, kept: $0) }
  }

  /// One that has nothing matters only as one that may miss what it is told.
  private func isInvolved(_ worker: Worker) -> Bool {
    !worker.tray.isEmpty || !worker.unacked.isEmpty || worker.wire.contains(where: \.isAboutVoid)
  }

  /// Whether the broker has, or knows to be un-acked, anything of the job.
  private var isTouchedByBroker: Bool { !queue.isEmpty || workers.contains { !$0.unacked.isEmpty } }

  /// How much the workers have in their sockets when all connections are lost, and whether the presences got through.
  private func losses() -> [(kept: [Int], presenceKept: Bool)] {
    let presence = workers.allSatisfy(\.presences.isEmpty) ? [true] : [true, false]
    var losses: [(kept: [Int], presenceKept: Bool)] = []
    for first in 0...workers[0].wire.count {
      for second in 0...workers[1].wire.count { losses += presence.map { ([first, second], $0) } }
    }
    return losses
  }
}

extension World.Worker {
  var takesDeliveries: Bool { consumes && hasConsumer }
}

extension World.QueuedReport {
  var isClaim: Bool { if case .claim = self { true } else { false } }

  func isClaim(_ number: Int, of index: Int) -> Bool {
    guard case .claim(let request) = self else { return false }
    return request.worker == World.ids[index] && request.number == number
  }
}
