@testable import Decisions
@testable import JobModel

// What a worker takes ahead.
extension World {
  /// More of them lead to nothing new.
  static let mostHandBacks = 1

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
  mutating func change(by index: Int, _ change: (_ has: (Rule) -> Bool, inout Tray) -> Void) {
    let before = workers[index].tray
    change(has, &workers[index].tray)
    for waiting in before.waiting where workers[index].tray.isDropping(waiting.release) {
      guard has(.waitingVoid) else {
        workers[index].tray = before
        continue
      }
      if let tag = before.tag(of: waiting.release) { workers[index].pool.remove(tag) }
    }
  }

  /// A message that returns to its queue.
  static func returned(_ message: Message) -> Message {
    var message = message
    message.redelivered = true
    return message
  }
}

extension Tray {
  /// Whether the release waits, and is claimed before it runs.
  func isToBeClaimed(_ release: ReleaseID) -> Bool {
    waiting.contains { $0.release == release && $0.mustClaim }
  }
}
