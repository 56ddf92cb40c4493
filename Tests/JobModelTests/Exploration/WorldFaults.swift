@testable import JobModel

extension World {
  mutating func fail(_ step: Step) {
    faults += 1
    switch step {
    case .crash: crash()
    case .publishThenCrash:
      queue.append(Message(number: progress.release, flagged: wasPublished && has(.claimFlag), epoch: epoch))
      wasPublished = true
      crash()
    case .die(let index): die(index)
    case .cutOff(let index, let kept): cutOff(index, kept: kept)
    case .brokerRestarts(let kept, let presenceKept): restartBroker(kept: kept, presenceKept: presenceKept)
    case .purge: queue = []
    case .rollBack(let isReleased): rollBack(isReleased: isReleased)
    case .cancelThenCrash:
      operate(.cancel, thenTell: false)
      crash()
    default: break
    }
  }

  private mutating func crash() {
    claims = nil
    void = VoidReleases()
    isTooLate = false
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

  private mutating func cutOff(_ index: Int, kept: Int) {
    requeue(from: index)
    workers[index].isConnected = false
    workers[index].wire.removeSubrange(kept...)
    // What is read of these changes nothing any more: the echo and the welcome are of the connection that is lost.
    workers[index].wire.removeAll { $0.isProbe(atLeast: 0) || $0.isWelcome }
  }

  /// What is un-acked returns to the head of the queue, flagged.
  private mutating func requeue(from index: Int) {
    let back = workers[index].unacked.map {
      Message(
        number: $0.message.number, redelivered: true, flagged: $0.message.flagged, epoch: $0.message.epoch)
    }
    queue = back + queue
    workers[index].unacked = []
  }

  private mutating func restartBroker(kept: [Int], presenceKept: Bool) {
    for index in workers.indices where workers[index].isConnected { cutOff(index, kept: kept[index]) }
    for index in queue.indices where !queue[index].isLater { queue[index].redelivered = true }
    if !presenceKept { for index in workers.indices { workers[index].presences = [] } }
    // The coordinator reconnects at once.
    carryOut { $0.askAgain() }
  }
}
