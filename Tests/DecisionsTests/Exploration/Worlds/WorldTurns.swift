@testable import Decisions
@testable import JobModel

extension World {
  /// What a coordinator records in one transaction, and then tells and acks.
  enum Turn: Hashable {
    case record(batch: Int)
    case hearPresence(of: Int)
    case leasePasses(of: Int)

    fileprivate var step: Step {
      switch self {
      case .record(let batch): .record(batch: batch)
      case .hearPresence(let index): .hearPresence(of: index)
      case .leasePasses(let index): .leasePasses(of: index)
      }
    }

    fileprivate var reports: Int { if case .record(let batch) = self { batch } else { 0 } }
  }

  /// The coordinator dies in any of the turns that it could take now.
  func takeovers() -> [Step] {
    guard claims != nil else { return [] }
    var steps: [Step] = []
    for step in coordinatorSteps() {
      let turn: Turn
      switch step {
      case .record(let batch): turn = .record(batch: batch)
      case .hearPresence(let index): turn = .hearPresence(of: index)
      case .leasePasses(let index): turn = .leasePasses(of: index)
      default: continue
      }
      steps += [.dieAmid(turn, isTold: true), .dieAmid(turn, isTold: false)]
    }
    if progress.state == .queued, !isConfirmed, inFlight == nil { steps.append(.diePublishing) }
    return steps
  }

  /// The turn is recorded, told or not, and not acked: what it was about comes to the next coordinator again.
  mutating func die(amid turn: Turn, isTold: Bool) {
    let before = self
    take(turn.step)
    let told = reports.dropFirst(before.reports.count - turn.reports)
    reports = before.reports + (isTold ? told : [])
    for index in workers.indices {
      workers[index].presences = before.workers[index].presences
      if !isTold { workers[index].wire = before.workers[index].wire }
    }
    if !has(.recordedFirst) { forgetRecord(since: before) }
    crash()
  }

  mutating func diePublishing() {
    inFlight = Message(
      number: progress.release, flagged: wasPublished && has(.claimFlag), epoch: epoch, isBeside: isBeside)
    wasPublished = true
    crash()
  }

  /// Without `recordedFirst`: the ledger is as it was.
  private mutating func forgetRecord(since before: World) {
    progress = before.progress
    isConfirmed = before.isConfirmed
    wasPublished = before.wasPublished
    welcomed = before.welcomed
    welcomedNumbers = before.welcomedNumbers
    grantee = before.grantee
    voidRecords = before.voidRecords
    adoptedBy = before.adoptedBy
  }
}

// MARK: - Attempts

extension World {
  /// A run of the job has begun, or was granted.
  mutating func hasStarted() {
    if setting.attempts != nil { starts += 1 }
  }

  /// How a claim is granted: whether the worker of the last grant has been there ever since without it.
  mutating func nextGrant() -> JobTransition {
    guard setting.attempts != nil, isGranteeThere else { return .claimGranted }
    if !progress.seenRunning {
      if begun == progress.token { isStartForgotten = true }
      if progress.token > progress.release { starts -= 1 }
    }
    return has(.unheardGrant) ? .claimGrantedAnew : .claimGranted
  }

  var isGranteeThere: Bool {
    guard let grantee else { return false }
    let number = has(.unheardSince) ? grantee.number : Int.max
    if let claims { return claims.isWelcomed(World.ids[grantee.index], since: number) }
    return welcomed[grantee.index] && welcomedNumbers[grantee.index].map { $0 < number } ?? false
  }

  /// A worker runs what it was granted.
  mutating func begins(_ token: Int) {
    if setting.attempts != nil { begun = token }
  }

  /// What workers say that they run is evidence of a start.
  mutating func see(_ running: [RunningRelease]) {
    guard setting.attempts != nil else { return }
    for running in running where counts(running) {
      _ = progress.apply(.seenRunning(release: running.release.number))
    }
  }

  /// Every interruption that is counted is of a run that had begun, or was granted, before.
  mutating func judged(_ effect: JobEffect) -> JobEffect {
    if setting.attempts == nil {
      // How many more there were is no part of a state.
      progress.deaths = setting.isSuspect ? Death.suspectDeaths : 0
    } else if progress.deaths > starts {
      isInnocentBlamed = true
    }
    return effect
  }
}
