@testable import Decisions
@testable import JobModel

extension World {
  mutating func fail(_ step: Step) {
    faults += 1
    switch step {
    case .crash: crash()
    case .publishThenCrash:
      queue.append(
        Message(number: progress.release, flagged: wasPublished && has(.claimFlag), epoch: epoch, isBeside: isBeside))
      wasPublished = true
      crash()
    case .die(let index): die(index)
    case .cutOff(let index, let kept): cutOff(index, kept: kept)
    case .brokerRestarts(let kept, let presenceKept): restartBroker(kept: kept, presenceKept: presenceKept)
    case .purge: queue = []
    case .deleteQueue: deleteQueue()
    case .loseDisk(let kept, let presenceKept): loseDisk(kept: kept, presenceKept: presenceKept)
    case .dieAmid(let turn, let isTold): die(amid: turn, isTold: isTold)
    case .diePublishing: diePublishing()
    case .expire(let index): workers[index].presences = []
    case .rollBack(let isReleased): rollBack(isReleased: isReleased)
    case .cancelThenCrash:
      operate(.cancel, thenTell: false)
      crash()
    default: break
    }
  }

  mutating func crash() {
    claims = nil
    void = VoidReleases()
    isTooLate = false
    isReturned = false
    beforeLater = []
    if !has(.voidRecorded) { voidRecords = [] }
    progress.seenRunning = false
  }

  /// A coordinator begins an epoch of a copy of the ledger. It re-publishes what is not known to be in its queue, waits
  /// for a lease before it answers any claim, and so hears all workers, and welcomes them into the epoch.
  private mutating func rollBack(isReleased: Bool) {
    let taken = progress.token
    crash()
    epoch += 1
    // What the copy knows of grants is not believed.
    grantee = nil
    welcomedNumbers = [nil, nil]
    // What has run, or runs, may run again: the copy knows nothing of it.
    if effects > 0 || workers.contains(where: { !runnable(by: $0).isEmpty }) { excuses += 1 }
    progress = JobProgress(maxAttempts: World.attempts)
    if has(.epochNumbers) { progress.lastTaken = taken }
    if isReleased {
      progress.state = .queued
      (progress.release, progress.token) = (1, 1)
    } else {
      _ = progress.apply(.lifted)
    }
    isConfirmed = false
    wasPublished = isReleased
    let heard = World.ids.indices.filter { workers[$0].isAlive && has(.epochHears) }
    for index in World.ids.indices { welcomed[index] = heard.contains(index) }
    startCoordinator(knowing: heard.map { World.ids[$0] })
    for index in heard { welcome(index) }
  }

  private mutating func die(_ index: Int) {
    // An effect that nobody heard of may happen again; a run that was cut short had none.
    let sent = workers[index].sent
    if workers[index].tray.reporting.contains(where: { !sent.contains($0.release.number) }) { excuses += 1 }
    requeue(from: index)
    let presences = workers[index].presences
    workers[index] = Worker(isAlive: false, isConnected: false, consumes: false, presences: presences)
  }

  mutating func cutOff(_ index: Int, kept: Int) {
    requeue(from: index)
    workers[index].isConnected = false
    workers[index].wire.removeSubrange(kept...)
    // What is read of these changes nothing any more: the echo and the welcome are of the connection that is lost.
    workers[index].wire.removeAll(where: \.isOfConnection)
  }

  /// What is un-acked returns to the head of the queue, flagged.
  private mutating func requeue(from index: Int) {
    queue = workers[index].unacked.map { World.returned($0.message) } + queue
    workers[index].unacked = []
  }

  private mutating func restartBroker(kept: [Int], presenceKept: Bool) {
    loseConnections(kept: kept, presenceKept: presenceKept)
    for index in queue.indices where !queue[index].isLater { queue[index].redelivered = true }
    reconnectCoordinator()
  }

  /// What the broker had confirmed, and has no more, is nobody's: the coordinator finds it lost.
  private mutating func loseDisk(kept: [Int], presenceKept: Bool) {
    // The effect of which only the lost report told may happen again.
    if reports.contains(where: isOnlyTrace) { excuses += 1 }
    queue = []
    inFlight = nil
    reports = []
    for index in workers.indices {
      workers[index].unacked = []
      // What was sent and not confirmed is with the worker alone again.
      if has(.resent) { workers[index].sent = [] }
    }
    loseConnections(kept: kept, presenceKept: presenceKept)
    reconnectCoordinator()
  }

  /// A report that counts, and whose worker knows it to be confirmed or is dead.
  private func isOnlyTrace(_ report: QueuedReport) -> Bool {
    guard case .report(let number, let token) = report, token == progress.token else { return false }
    let again = RunningRelease(release: World.release(number), token: token)
    return !workers.contains { $0.tray.reporting.contains(again) }
  }

  private mutating func deleteQueue() {
    queue = []
    for index in workers.indices where workers[index].isConnected {
      workers[index].unacked = []
      guard workers[index].takesDeliveries else { continue }
      workers[index].hasConsumer = false
      send(.consumerEnded, to: index)
    }
  }

  private mutating func loseConnections(kept: [Int], presenceKept: Bool) {
    for index in workers.indices where workers[index].isConnected { cutOff(index, kept: kept[index]) }
    if !presenceKept { for index in workers.indices { workers[index].presences = [] } }
  }

  /// At once: the workers come back when they come.
  private mutating func reconnectCoordinator() {
    guard has(.startOver) else { return }
    carryOut { $0.askAgain() }
  }
}
