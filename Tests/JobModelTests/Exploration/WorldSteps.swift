@testable import JobModel

extension World {
  /// One thing that can happen next.
  enum Step: Hashable {
    case publish
    case deliver(to: Int)
    case read(by: Int)
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
    case restart
    // Faults.
    case publishThenCrash
    case crash
    case die(Int)
    /// `kept`: how much of the wire is in the worker's socket already.
    case cutOff(Int, kept: Int)
    case brokerRestarts(kept: [Int], presenceKept: Bool)
    case purge
  }

  /// Everything that can happen next.
  func steps() -> [Step] {
    if isOver { return [] }
    var steps = brokerSteps() + coordinatorSteps()
    for index in workers.indices where workers[index].isAlive { steps += workerSteps(index) }
    if faults < faultsInTurn.count { steps += faultSteps(faultsInTurn[faults]) }
    return steps
  }

  private func brokerSteps() -> [Step] {
    guard !queue.isEmpty else { return [] }
    return workers.indices
      .filter { workers[$0].isConnected && workers[$0].consumes && workers[$0].unacked.isEmpty }
      .map { .deliver(to: $0) }
  }

  private func workerSteps(_ index: Int) -> [Step] {
    let worker = workers[index]
    var steps: [Step] = []
    if !worker.wire.isEmpty { steps.append(.read(by: index)) }
    if !worker.tray.running.isEmpty { steps.append(.finish(by: index)) }
    guard worker.isConnected else { return worker.wire.isEmpty ? steps + [.reconnect(index)] : steps }
    if worker.tray.reporting.contains(where: { !worker.sent.contains($0.release.number) }) {
      steps.append(.sendReport(by: index))
    }
    if !worker.sent.isEmpty { steps.append(.hearConfirm(by: index)) }
    if isHeardOf(index) { steps.append(.announce(by: index)) }
    if asksAgain(index) { steps.append(.askAgain(by: index)) }
    return steps
  }

  /// Asking while the question or the answer is still on its way is bounded; once the answer is in the worker's socket, a
  /// question more adds nothing new.
  private func asksAgain(_ index: Int) -> Bool {
    guard let claim = workers[index].tray.openClaims.first else { return false }
    return !workers[index].wire.contains { $0.isAnswer(to: claim.number) }
      && !reports.contains { $0.isClaim(claim.number, of: index) }
      && (crossings < maxCrossings || !isOpen(claim.release, claim.number, of: index))
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
    let isAboutToEcho = workers[index].wire.contains { $0.isProbe(atLeast: 0) || $0 == .welcome }
    guard !isAboutToEcho || !has(.numbers) else { return false }
    return claims.isWaiting(for: World.ids[index]) || !claims.welcomed.contains(World.ids[index])
      || !workers[index].consumes
  }

  private func coordinatorSteps() -> [Step] {
    guard let claims else { return [.restart] }
    var steps: [Step] = []
    if progress.state == .queued, !isConfirmed { steps.append(.publish) }
    for index in workers.indices {
      if !workers[index].presences.isEmpty {
        steps.append(.hearPresence(of: index))
      } else if !workers[index].isConnected, claims.isWaiting(for: World.ids[index]) {
        steps.append(.leasePasses(of: index))
      }
    }
    if !reports.isEmpty { steps.append(.record(batch: 1)) }
    // Two claims of one batch share a probe; other batches are the same as one after the other.
    if reports.count > 1, reports[0].isClaim, reports[1].isClaim { steps.append(.record(batch: 2)) }
    if maySuspectLost(claims) { steps.append(.suspectLost) }
    return steps
  }

  private func maySuspectLost(_ claims: Claims) -> Bool {
    has(.lost) && progress.state == .queued && isConfirmed && queue.isEmpty && claims.isEmpty
      && workers.allSatisfy { $0.presences.isEmpty && !$0.wire.contains { $0.isProbe(atLeast: 0) } }
  }

  private func faultSteps(_ kinds: Set<Fault>) -> [Step] {
    var steps: [Step] = []
    if kinds.contains(.crash), claims != nil {
      steps.append(.crash)
      if progress.state == .queued, !isConfirmed { steps.append(.publishThenCrash) }
    }
    if kinds.contains(.death) { steps += workers.indices.filter { workers[$0].isAlive }.map { .die($0) } }
    if kinds.contains(.cutOff) { for index in workers.indices { steps += cuts(index) } }
    if kinds.contains(.brokerRestart) { steps += brokerRestarts() }
    if kinds.contains(.purge), !queue.isEmpty { steps.append(.purge) }
    return steps
  }

  private func cuts(_ index: Int) -> [Step] {
    let worker = workers[index]
    guard worker.isConnected, !(worker.tray.isEmpty && worker.unacked.isEmpty) else { return [] }
    return (0...worker.wire.count).map { .cutOff(index, kept: $0) }
  }

  private func brokerRestarts() -> [Step] {
    guard !queue.isEmpty || workers.contains(where: { !$0.unacked.isEmpty }) else { return [] }
    let presence = workers.allSatisfy(\.presences.isEmpty) ? [true] : [true, false]
    var steps: [Step] = []
    for first in 0...workers[0].wire.count {
      for second in 0...workers[1].wire.count {
        steps += presence.map { .brokerRestarts(kept: [first, second], presenceKept: $0) }
      }
    }
    return steps
  }
}

extension World.QueuedReport {
  var isClaim: Bool { if case .claim = self { true } else { false } }

  func isClaim(_ number: Int, of index: Int) -> Bool {
    guard case .claim(let request) = self else { return false }
    return request.worker == World.ids[index] && request.number == number
  }
}
