import DequeModule
import JobModel

/// Brings recorded events into their order: drops what came before, and holds back what came too early until the
/// missing ones have been sent again. Pure; whoever reads the stream carries it out.
struct EventOrder: Hashable, Sendable {
  /// What is to be done with a message of the stream.
  enum Step: Hashable, Sendable {
    /// These come next; none, when all were known already.
    case deliver([JobEvent])
    /// Events are missing before this message; it is kept. Wait for them, but not for ever.
    case wait
    /// More is held back than the limit allows.
    case giveUp(after: EventPosition, before: EventPosition)
  }

  /// The most messages that are held back.
  static let heldLimit = 256

  /// The last event in order; nil before the first: then whatever comes is the first.
  private(set) var last: EventPosition?
  private var ledger: LedgerID?
  /// By the position of their first event.
  private var held: [EventPosition: NotificationBatch] = [:]

  init(after last: EventPosition?) {
    self.last = last
  }

  var isWaiting: Bool { !held.isEmpty }

  /// The events that are missing, when some are: what lies between the two.
  var missing: (after: EventPosition, before: EventPosition)? {
    guard let last, let next = held.keys.min() else { return nil }
    return (last, next)
  }

  mutating func take(_ batch: NotificationBatch) -> Step {
    guard let first = batch.firstPosition else { return .deliver([]) }
    if let ledger, ledger != batch.ledger {
      // Another ledger has events of its own, and nothing to do with what is held of the last one.
      held = [:]
      last = nil
    }
    ledger = batch.ledger
    guard follows(first) else { return hold(batch, at: first) }
    var events = deliver(batch)
    while let next = held.keys.min(), follows(next), let batch = held.removeValue(forKey: next) {
      events += deliver(batch)
    }
    return .deliver(events)
  }

  /// A new connection reads again from the last message in order.
  mutating func dropHeld() {
    held = [:]
  }

  /// Whether nothing is missing before that event. A new epoch follows any event of an older one: what the older one
  /// still had to say was rolled back with it.
  private func follows(_ first: EventPosition) -> Bool {
    guard let last else { return true }
    return first.epoch != last.epoch || first.sequence <= last.sequence + 1
  }

  private mutating func hold(_ batch: NotificationBatch, at first: EventPosition) -> Step {
    held[first] = batch
    guard held.count > EventOrder.heldLimit, let missing else { return .wait }
    return .giveUp(after: missing.after, before: missing.before)
  }

  private mutating func deliver(_ batch: NotificationBatch) -> [JobEvent] {
    let events = batch.notifications.map { JobEvent($0, epoch: batch.epoch) }
    return events.filter { event in
      guard let position = event.position else { return false }
      if let last, position <= last { return false }
      last = position
      return true
    }
  }
}

extension NotificationBatch {
  fileprivate var firstPosition: EventPosition? {
    notifications.first?.seq.map { EventPosition(epoch: epoch, sequence: $0) }
  }
}
