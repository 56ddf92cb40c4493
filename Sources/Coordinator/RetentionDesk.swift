import JobModel
import Ledger
import Logging

/// What has ended is kept for a time, or up to a size, and then removed in small steps.
extension Bookkeeper {
  /// How many jobs, or keys, one turn removes.
  static let removalLimit = 256

  /// It is time to look.
  func beginRetention() {
    chores.isRetentionDue = true
    choresArrived.fire()
  }

  /// One step; the chore is done when there was less to remove than a step takes.
  func removeOld() throws(LedgerError) {
    let retention = configuration.retention
    let now = Timestamp.now()
    try turn { transaction, _ in
      var removed = try transaction.remove(endedBefore: now - retention.time, limit: Bookkeeper.removalLimit)
      if removed == 0, let size = retention.size, try transaction.usedBytes() > size {
        removed = try transaction.remove(endedBefore: now, limit: Bookkeeper.removalLimit)
      }
      let expired = try transaction.expireKeys(at: now, limit: Bookkeeper.removalLimit)
      chores.isRetentionDue = removed == Bookkeeper.removalLimit || expired == Bookkeeper.removalLimit
    }
  }
}
