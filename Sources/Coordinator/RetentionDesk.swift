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
      let removed = try remove(retention, at: now, transaction)
      let expired = try transaction.expireKeys(at: now, limit: Bookkeeper.removalLimit)
      chores.isRetentionDue = removed == Bookkeeper.removalLimit || expired == Bookkeeper.removalLimit
    }
  }

  private func remove(
    _ retention: CoordinatorConfiguration.Retention, at now: Timestamp, _ transaction: LedgerTransaction
  ) throws -> Int {
    if let time = retention.time {
      let removed = try transaction.remove(endedBefore: now - time, limit: Bookkeeper.removalLimit)
      if removed > 0 { return removed }
    }
    guard let size = retention.size, try transaction.usedBytes() > size else { return 0 }
    return try transaction.remove(endedBefore: now, limit: Bookkeeper.removalLimit)
  }
}
