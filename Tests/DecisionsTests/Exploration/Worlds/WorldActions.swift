@testable import Decisions
@testable import JobModel

extension World {
  /// Asks the claims, and carries out what they say, in its order.
  mutating func carryOut(_ ask: (inout Claims) -> [ClaimAction]) {
    guard var asked = claims else { return }
    let actions = ask(&asked)
    claims = asked
    carryOut(actions)
  }

  mutating func carryOut(_ actions: [ClaimAction]) {
    var actions = actions[...]
    while let action = actions.popFirst() {
      actions = (carryOut(action) + actions)[...]
    }
    lastNumber = max(lastNumber, claims?.number ?? 0)
  }

  /// Returns the actions that follow from this action at once.
  private mutating func carryOut(_ action: ClaimAction) -> [ClaimAction] {
    switch action {
    case .probe(let number, let ids): return probe(number, ids)
    case .fence(let number):
      if !has(.fence) { return fenceReturned(number) }
      reports.append(.fence(number))
    case .answer(let request, let verdict):
      answer(request, verdict)
      // A worker that is told to drop the release has the message in hand.
      guard verdict == .drop, void.purpose(of: request.release) == .ended else { return [] }
      return takeBack(request.release, void.claimConcluded(request.release))
    case .grant(let request): return grant(request)
    case .releaseAnew(let release): return releaseAnew(release)
    case .keep(let release):
      if isCurrent(release), isReturned { (isReturned, isConfirmed) = (false, true) }
      return takeBack(release, void.kept(release))
    }
    return []
  }

  mutating func fenceReturned(_ number: Int) -> [ClaimAction] {
    guard var fenced = claims else { return [] }
    let actions = has(.oneGrant) ? fenced.fenceReturned(number) : World.grantWithoutRestart(&fenced, fence: number)
    claims = fenced
    return actions
  }

  private mutating func probe(_ number: Int, _ ids: [WorkerID]) -> [ClaimAction] {
    var actions: [ClaimAction] = []
    for (index, id) in World.ids.enumerated() where ids.contains(id) {
      if !has(.probe) {
        let running = claims?.lastKnown(of: id) ?? []
        actions += claims?.present(id, probe: number, running: running) ?? []
      }
      send(.probe(number), to: index)
    }
    return has(.askerEchoes) ? actions : actions + echoForAskers(number)
  }

  private mutating func answer(_ request: ClaimRequest, _ verdict: Verdict) {
    guard let index = World.ids.firstIndex(of: request.worker) else { return }
    send(.answer(release: request.release, claim: request.number, verdict), to: index)
  }

  private mutating func grant(_ request: ClaimRequest) -> [ClaimAction] {
    let step = void.claimConcluded(request.release)
    guard step == .ordinary else {
      answer(request, .drop)
      return takeBack(request.release, step)
    }
    if !has(.redeliveredIsNoStart) { _ = progress.apply(.seenRunning(release: request.release.number)) }
    let effect = isCurrent(request.release) ? judged(progress.apply(nextGrant())) : .ignore(.noSuchEdge)
    guard case .grant = effect else {
      answer(request, .drop)
      return isWithheld(request.release, by: effect)
    }
    adoptedBy = nil
    grantee = World.ids.firstIndex(of: request.worker).map { ($0, claims?.number ?? 0) }
    hasStarted()
    answer(request, .run(token: progress.token, attempt: progress.attempt))
    return []
  }

  private mutating func releaseAnew(_ release: ReleaseID) -> [ClaimAction] {
    if !has(.voidGone) { void.messageGone(release) }
    let wasVoid = void.contains(release)
    let step = void.ownClaimConcluded(release)
    guard !wasVoid else { return takeBack(release, step) }
    guard isCurrent(release) else { return [] }
    let mayKill = progress.wasStarted || progress.deaths > 0
    let effect = judged(progress.apply(isReturned ? .withdrawn : .foundLost))
    if case .release = effect { isReleasedAnew(mustClaim: mayKill) }
    return isWithheld(release, by: effect)
  }

  /// A suspect is held; whoever else asks for it drops it.
  private mutating func isWithheld(_ release: ReleaseID, by effect: JobEffect) -> [ClaimAction] {
    guard case .withhold = effect else { return [] }
    isConfirmed = false
    adoptedBy = nil
    return supersede(release)
  }

  mutating func releaseSuspect() {
    guard case .release = progress.apply(.lifted) else { return }
    isReleasedAnew(mustClaim: true)
  }

  /// With `mustClaim` it is claimed first, like one that is published again.
  mutating func isReleasedAnew(mustClaim: Bool = false) {
    isConfirmed = false
    isReturned = false
    isBeside = !setting.lacking.isEmpty
    wasPublished = mustClaim
    adoptedBy = nil
  }
}

// MARK: - Without a rule

extension World {
  /// Without `askerEchoes`: who asks counts as having echoed the probe of its own claim.
  private mutating func echoForAskers(_ number: Int) -> [ClaimAction] {
    var actions: [ClaimAction] = []
    for (release, open) in claims?.open ?? [:] {
      for claim in open where claim.stage == .probing(number) {
        guard case .worker(let request) = claim.claimant, var running = claims?.lastKnown(of: request.worker) else {
          continue
        }
        running.remove(release)
        actions += claims?.present(request.worker, probe: number, running: running) ?? []
      }
    }
    return actions
  }

  /// Without `oneGrant`: a fence that has come back grants its claims one by one, and the others go on as they are.
  static func grantWithoutRestart(_ claims: inout Claims, fence: Int) -> [ClaimAction] {
    var actions: [ClaimAction] = []
    while let (release, request) = claims.firstFenced(fence) {
      _ = claims.close(release) { $0.claimant == .worker(request) }
      actions.append(.grant(request))
    }
    return actions + claims.fenceReturned(fence)
  }
}

extension Claims {
  fileprivate func firstFenced(_ fence: Int) -> (ReleaseID, ClaimRequest)? {
    for (release, claims) in open {
      for claim in claims where claim.stage == .fenced(fence) {
        if case .worker(let request) = claim.claimant { return (release, request) }
      }
    }
    return nil
  }
}
