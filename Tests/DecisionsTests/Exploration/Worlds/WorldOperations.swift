@testable import Decisions
@testable import JobModel

// MARK: - What people do

extension World {
  func operationSteps() -> [Step] {
    Operation.allCases.filter(mayOperate).map { .operate($0) }
  }

  func mayOperate(_ operation: Operation) -> Bool {
    guard claims != nil, operations < setting.operations.count, setting.operations[operations].contains(operation)
    else {
      return false
    }
    switch operation {
    case .cancel: return progress.state == .queued
    // While an earlier release of it is void there is no second change.
    case .rerank, .startBy:
      return progress.state == .queued && void.entries.isEmpty && (!progress.wasStarted || !has(.unstarted))
    }
  }

  mutating func operate(_ operation: Operation, thenTell: Bool = true) {
    operations += 1
    let release = releaseID
    // What is being published when it becomes void arrives at some time, or never.
    if !isConfirmed, inFlight == nil {
      inFlight = Message(
        number: release.number, flagged: wasPublished && has(.claimFlag), epoch: epoch, isBeside: isBeside)
      wasPublished = true
    }
    let isClaimed = has(.voidClaimOpen) && claims?.isClaimedByCoordinator(release) == true
    switch operation {
    case .cancel:
      guard case .finish = progress.apply(.cancelled(JobFailure.cancelled(by: "somebody"))) else { return }
      if !void.jobEnded(release) { void.add(release, .ended, token: progress.token, isClaimed: isClaimed) }
      voidRecords.insert(release.number)
      if thenTell { tell(.void([release.number])) }
    case .rerank, .startBy:
      isTooLate = operation == .startBy
      void.add(release, .change, token: progress.token, isClaimed: isClaimed)
      if has(.voidFirst) { tell(.void([release.number])) }
      carryOut { $0.claimForCoordinator(release) }
      carryOut { $0.flush() }
    }
  }
}

// MARK: - Void releases

extension World {
  /// What follows from what was learnt of a release.
  mutating func takeBack(_ release: ReleaseID, _ step: VoidReleases.Step) -> [ClaimAction] {
    switch step {
    case .ordinary: return []
    case .forgotten:
      forget(release)
      return supersede(release)
    case .change:
      voidRecords.insert(release.number)
      if !has(.voidFirst) { tell(.void([release.number])) }
      return change(release)
    case .changeAndForget:
      forget(release)
      return change(release)
    }
  }

  private mutating func forget(_ release: ReleaseID) {
    voidRecords.remove(release.number)
    tell(.forgotten(release.number))
  }

  /// Nobody has it: so the job ends, or gets its new release.
  private mutating func change(_ release: ReleaseID) -> [ClaimAction] {
    guard isCurrent(release) else { return [] }
    let mayKill = progress.wasStarted || progress.deaths > 0
    if isTooLate {
      // A worker had begun it in time, by a grant that is recorded.
      if begun == progress.token { isStartForgotten = true }
      _ = progress.apply(.failed(.tooLate()))
    } else if case .release = judged(progress.apply(.withdrawn)) {
      isReleasedAnew(mustClaim: mayKill)
    }
    return supersede(release)
  }

  mutating func supersede(_ release: ReleaseID) -> [ClaimAction] {
    guard !isCurrent(release), var asked = claims else { return [] }
    let actions = asked.superseded(release)
    claims = asked
    return actions
  }

  mutating func recordDropped(_ release: ReleaseID) {
    let step = has(.droppedUngranted) ? void.dropped(release) : void.claimConcluded(release)
    carryOut(takeBack(release, step))
    guard step == .ordinary, isCurrent(release) else { return }
    // The worker had the list of an earlier coordinator, and this one has no reason to change the job.
    if has(.droppedClaim) {
      carryOut { $0.claimForCoordinator(release) }
    } else if case .release = progress.apply(.foundLost) {
      isReleasedAnew()
      carryOut(supersede(release))
    }
  }
}

// MARK: - Adoption

extension World {
  /// It asks until it is answered, for what it still has the message of.
  func asksAdoption(_ index: Int) -> Bool {
    guard setting.adopts, let number = adoptable(by: index)?.release.number else { return false }
    return !reports.contains { $0.isAdoption(of: number, by: index) }
      && !workers[index].wire.contains(.adopted(number))
  }

  private func adoptable(by index: Int) -> RunningRelease? {
    let tray = workers[index].tray
    return tray.running.first { tray.entries[$0.release]?.tag != nil }
  }

  mutating func askAdoption(by index: Int) {
    guard let running = adoptable(by: index) else { return }
    guard has(.adoptRecorded) else { return ack(workers[index].tray.adopted(running.release), by: index) }
    reports.append(.adopt(number: running.release.number, token: running.token, by: index))
  }

  /// Only who has the current token has the job; a job that has ended is adopted too, for the sake of its place.
  mutating func recordAdoption(_ number: Int, _ token: Int, by index: Int) {
    guard number == progress.release, token == progress.token,
      !progress.state.isFinal || voidRecords.contains(number)
    else { return }
    adoptedBy = index
    send(.adopted(number), to: index)
  }
}

extension World.QueuedReport {
  func isAdoption(of number: Int, by index: Int) -> Bool {
    if case .adopt(number, _, index) = self { true } else { false }
  }
}

extension World.WireItem {
  var isWelcome: Bool { if case .welcome = self { true } else { false } }

  /// Of the connection on which it comes, and of nothing else.
  var isOfConnection: Bool {
    switch self {
    case .probe, .welcome, .consumerEnded: true
    case .delivery, .answer, .void, .forgotten, .adopted: false
    }
  }

  var isAboutVoid: Bool {
    switch self {
    case .void, .forgotten: true
    case .delivery, .probe, .answer, .welcome, .adopted, .consumerEnded: false
    }
  }
}
