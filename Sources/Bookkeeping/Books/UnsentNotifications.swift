import Decisions
import DequeModule
import JobModel
import Ledger

/// The notifications that the stream does not have yet, in sequence. When there are more than the memory should hold,
/// the rest stays in the ledger until its turn comes.
final class UnsentNotifications {
  /// The most that the memory holds.
  static let limit = 10_000

  private var queue: Deque<Notification> = []
  private var hasMoreInLedger = false
  /// The last number that the stream has; recorded with the next turn. Nil: this is recorded.
  private(set) var sentUpTo: Int64?

  var isEmpty: Bool { queue.isEmpty }
  /// How many there are; ``limit`` stands for as many or more.
  var count: Int { hasMoreInLedger ? UnsentNotifications.limit : queue.count }
  /// Whether the memory has no notification, and the ledger has some.
  var isToRead: Bool { queue.isEmpty && hasMoreInLedger }

  func append(_ notifications: [Notification]) {
    for notification in notifications {
      guard queue.count < UnsentNotifications.limit, !hasMoreInLedger else { return hasMoreInLedger = true }
      queue.append(notification)
    }
  }

  /// Reads the first notifications that the ledger has.
  func read(_ ledger: LedgerTransaction) throws {
    queue = Deque(try ledger.unsent(limit: UnsentNotifications.limit))
    hasMoreInLedger = queue.count == UnsentNotifications.limit
  }

  /// Forgets all notifications: they are to be read from the ledger.
  func forget() {
    (queue, hasMoreInLedger) = ([], true)
    noteRecorded()
  }

  func first(_ count: Int) -> [Notification] { Array(queue.prefix(count)) }

  /// The stream has the first ones.
  func sent(_ count: Int, upTo seq: Int64?) {
    queue.removeFirst(min(count, queue.count))
    sentUpTo = seq
  }

  func recordSent(_ ledger: LedgerTransaction) throws {
    if let sentUpTo { try ledger.markSent(upTo: sentUpTo) }
  }

  /// The last number is recorded, or not known any more.
  func noteRecorded() { sentUpTo = nil }
}
