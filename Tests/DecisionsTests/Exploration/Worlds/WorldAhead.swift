@testable import Decisions
@testable import JobModel

// What a worker takes ahead.
extension World {
  /// A teller is free for it.
  mutating func serve(_ release: ReleaseID, by index: Int) {
    if let tag = workers[index].tray.tag(of: release) { workers[index].pool.remove(tag) }
    switch workers[index].tray.served(release) {
    case .start: hasStarted()
    case .claim: ask(by: index)
    case .keep, .adopted, .ack, .drop, .giveBack, .ignored: break
    }
  }

  /// What waits goes back to the head of the queue, flagged.
  mutating func handBack(by index: Int) {
    handBacks += 1
    let (pool, held) = (workers[index].pool, workers[index].unacked)
    let back = held.filter { pool.contains($0.tag) }
    for unacked in back where has(.waitingHandedBack) {
      workers[index].tray.handBack(World.release(unacked.message.number), tag: unacked.tag)
    }
    workers[index].pool = []
    workers[index].unacked.removeAll { pool.contains($0.tag) }
    queue = back.map { World.returned($0.message) } + queue
  }

  /// The list of void releases is another one: what waits and is void is not started any more.
  mutating func change(by index: Int, _ change: (inout Tray) -> Tray.VoidNews) {
    for release in change(&workers[index].tray).dropped {
      if let tag = workers[index].tray.tag(of: release) { workers[index].pool.remove(tag) }
    }
  }

  /// A message that returns to its queue.
  static func returned(_ message: Message) -> Message {
    var message = message
    message.redelivered = true
    return message
  }
}

extension World.Worker {
  /// What it has taken ahead and has not begun, whatever it lists.
  var waiting: [ReleaseID] {
    tray.entries.keys.filter { tray.isWaiting($0) }.sorted { $0.number < $1.number }
  }

  /// What of that it starts without a claim.
  var startable: [RunningRelease] {
    waiting.compactMap { release in
      guard case .waiting(let token, mustClaim: false) = tray.entries[release]?.stage else { return nil }
      return RunningRelease(release: release, token: token)
    }
  }
}

extension Tray {
  fileprivate func isWaiting(_ release: ReleaseID) -> Bool {
    if case .waiting = entries[release]?.stage { true } else { false }
  }

  /// What waits, may begin at any moment, and is listed.
  var mayBegin: [RunningRelease] { waiting.filter { !$0.mustClaim }.map(\.run) }

  /// Whether the release waits, and is claimed before it runs.
  func isToBeClaimed(_ release: ReleaseID) -> Bool {
    if case .waiting(_, mustClaim: true) = entries[release]?.stage { true } else { false }
  }
}
