import Decisions
import JobModel
import Ledger

/// Removes ended jobs after a time, or when the ledger is too large, in small steps; and the places of subscribers that
/// were not seen for a long time.
final class Retaining {
  /// How long ended jobs are kept.
  var retention: RetentionSettings
  private let departments: Departments
  private let time: LedgerTime
  /// The round goes on after the notification of that number; nil: there is no round.
  private var position: Int64?

  /// How many jobs, or keys, one turn looks at.
  static let limit = 256

  init(_ retention: RetentionSettings, _ departments: Departments, _ time: LedgerTime) {
    (self.retention, self.departments, self.time) = (retention, departments, time)
  }

  var goesOn: Bool { position != nil }

  /// Begins a round, if none goes on.
  func begin() { position = position ?? 0 }
  func abandon() { position = nil }

  /// One step of the round.
  func step(_ turn: Turn) throws {
    guard let position else { return }
    let now = time.now
    let step = try remove(after: position, at: now, turn)
    for (department, jobs) in step?.unsettled ?? [:] { departments.countUnsettled(-jobs, in: department) }
    if time.mayRemove { try turn.ledger.removeSubscribers(seenBefore: now - retention.subscribers) }
    let looked = time.mayRemove ? try expireKeys(at: now, turn) : 0
    let isLast = (step?.isLast ?? true) && looked < Retaining.limit
    self.position = isLast ? nil : step?.position ?? position
  }

  /// - Returns: How many keys it looked at.
  private func expireKeys(at now: Timestamp, _ turn: Turn) throws -> Int {
    let (looked, freed) = try turn.ledger.expireKeys(at: now, limit: Retaining.limit)
    for key in freed { try turn.tellFreed(key, at: now) }
    return looked
  }

  /// Nil: nothing has to be removed.
  private func remove(after position: Int64, at now: Timestamp, _ turn: Turn) throws -> RemovalStep? {
    if let size = retention.size, try turn.ledger.usedBytes() > size {
      return try turn.ledger.remove(oldest: Retaining.limit, after: position)
    }
    guard let kept = retention.time, time.mayRemove else { return nil }
    return try turn.ledger.remove(endedBefore: now - kept, after: position, limit: Retaining.limit, now: now)
  }
}
