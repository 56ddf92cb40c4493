import JobModel
import Ledger
import Logging

/// What has ended is kept for a time, or up to a size, and then removed in small steps.
extension Bookkeeper {
  /// How many jobs, or keys, one turn looks at.
  static let removalLimit = 256

  /// It is time to look.
  func beginRetention() {
    guard chores.removeAfter == nil else { return }
    chores.removeAfter = 0
    choresArrived.fire()
  }

  /// One step of the round.
  func removeOld() throws(LedgerError) {
    try turn { turn in
      guard let position = chores.removeAfter else { return }
      let now = self.now
      let step = try remove(after: position, at: now, turn)
      let lookedAt =
        clock.mayRemove(at: now) ? try turn.ledger.expireKeys(at: now, limit: Bookkeeper.removalLimit) : 0
      let isLast = (step?.isLast ?? true) && lookedAt < Bookkeeper.removalLimit
      chores.removeAfter = isLast ? nil : step?.position ?? position
    }
  }

  /// Nil: nothing has to be removed.
  private func remove(
    after position: Int64, at now: Timestamp, _ turn: Turn
  ) throws -> RemovalStep? {
    let retention = configuration.retention
    if let size = retention.size, try turn.ledger.usedBytes() > size {
      return try turn.ledger.remove(oldest: Bookkeeper.removalLimit, after: position)
    }
    guard let time = retention.time, clock.mayRemove(at: now) else { return nil }
    return try turn.ledger.remove(endedBefore: now - time, after: position, limit: Bookkeeper.removalLimit, now: now)
  }
}
