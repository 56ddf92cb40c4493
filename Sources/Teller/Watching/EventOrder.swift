import DequeModule
import JobModel

/// Brings recorded events into their order. An event that came before is dropped. A message that came too early is held
/// back until the missing events have been sent again. A pure value: ``EventReader`` carries its steps out.
struct EventOrder: Hashable, Sendable {
  /// The next step after a message of the stream.
  enum Step: Hashable, Sendable {
    /// These events come next; none, when all were known already.
    case deliver([JobEvent])
    /// Events are missing before this message, which is held back. They may come later.
    case awaitMissing
    /// More messages would be held back than the limit allows.
    case giveUp(after: EventPosition, before: EventPosition)
  }

  /// A message of the stream, and its place there.
  private struct Held: Hashable, Sendable {
    var batch: NotificationBatch
    var offset: Int64?
  }

  /// The most messages that are held back.
  static let heldLimit = 256

  /// The last event in order; nil before the first one: then any event is the first.
  private(set) var last: EventPosition?
  /// The last event that is older than the watch. Until the watch has begun, any event behind it may be the first one.
  private var passed: EventPosition?
  private var ledger: LedgerID?
  /// The messages that are held back, by the position of their first event.
  private var held: [EventPosition: Held] = [:]

  init(after last: EventPosition?) {
    self.last = last
  }

  var isWaiting: Bool { !held.isEmpty }

  /// Between which two events some are missing; nil: none are.
  var missing: (after: EventPosition, before: EventPosition)? {
    guard let last, let next = held.keys.min() else { return nil }
    return (last, next)
  }

  /// Takes in a message of the stream. `offset`: its place there.
  mutating func receive(_ batch: NotificationBatch, offset: Int64? = nil) -> Step {
    guard let number = batch.notifications.first?.seq else { return .deliver([]) }
    let first = EventPosition(epoch: batch.epoch, sequence: number)
    noteLedger(of: batch)
    let message = Held(batch: batch, offset: offset)
    guard follows(first) else { return hold(message, at: first) }
    var events = deliver(message)
    while let next = held.keys.min(), follows(next), let message = held.removeValue(forKey: next) {
      events += deliver(message)
    }
    return .deliver(events)
  }

  /// Takes in a message that is older than the watch.
  mutating func pass(_ batch: NotificationBatch) {
    guard let end = batch.end else { return }
    noteLedger(of: batch)
    passed = max(passed ?? end, end)
  }

  /// From now on no event behind those that are older than the watch may be missing.
  mutating func begin() { last = last ?? passed }

  /// The events of another ledger do not follow those of the last one.
  private mutating func noteLedger(of batch: NotificationBatch) {
    if let ledger, ledger != batch.ledger { (held, last, passed) = ([:], nil, nil) }
    ledger = batch.ledger
  }

  /// Drops the messages that are held back: a new connection reads again from the last message in order.
  mutating func dropHeld() {
    held = [:]
  }

  /// Whether no event is missing before that one. A new epoch follows any event of an older one: its rest is void.
  private func follows(_ first: EventPosition) -> Bool {
    guard let last else { return true }
    return first.epoch != last.epoch || first.sequence <= last.sequence + 1
  }

  private mutating func hold(_ message: Held, at first: EventPosition) -> Step {
    held[first] = message
    guard held.count > EventOrder.heldLimit, let missing else { return .awaitMissing }
    return .giveUp(after: missing.after, before: missing.before)
  }

  private mutating func deliver(_ message: Held) -> [JobEvent] {
    let batch = message.batch
    let events = batch.notifications.map { JobEvent($0, epoch: batch.epoch, offset: message.offset) }
    return events.filter { event in
      guard let position = event.position else { return false }
      if let known = last ?? passed, position <= known { return false }
      last = position
      return true
    }
  }
}

extension NotificationBatch {
  /// The position of the last event; nil: the message has none.
  var end: EventPosition? {
    notifications.last?.seq.map { EventPosition(epoch: epoch, sequence: $0) }
  }
}
