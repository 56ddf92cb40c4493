import JobModel

/// A job's state as a number in the ledger. The numbers stand in the conditions of indexes and never change.
enum StateCode {
  static let held: Int64 = 0
  static let queued: Int64 = 1
  static let succeeded: Int64 = 2
  static let failed: Int64 = 3
  static let cancelled: Int64 = 4

  /// The number of a state; `running` is only known in memory, and recorded as queued.
  static func code(of state: JobState) -> Int64 {
    switch state {
    case .held: held
    case .queued, .running: queued
    case .succeeded: succeeded
    case .failed: failed
    case .cancelled: cancelled
    }
  }

  /// The state of a number; nil when no version of Teller wrote it.
  static func state(of code: Int64) -> JobState? {
    switch code {
    case held: .held
    case queued: .queued
    case succeeded: .succeeded
    case failed: .failed
    case cancelled: .cancelled
    default: nil
    }
  }
}

/// A settlement as a number in the ledger; null while nobody has looked after the failed job.
enum SettlementCode {
  static let replayed = 1
  static let dropped = 2
}
