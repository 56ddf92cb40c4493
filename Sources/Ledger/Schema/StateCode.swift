import JobModel

/// A job's state as a number in the ledger. The numbers stand in the conditions of indexes and never change.
enum StateCode {
  /// The number of a state; `running` is only known in memory, and recorded as queued.
  static func code(of state: JobState) -> Int64 {
    switch state {
    case .held: 0
    case .queued, .running: 1
    case .succeeded: 2
    case .failed: 3
    case .cancelled: 4
    }
  }

  /// The state of a number; nil when no version of Teller wrote it.
  static func state(of code: Int64) -> JobState? {
    switch code {
    case 0: .held
    case 1: .queued
    case 2: .succeeded
    case 3: .failed
    case 4: .cancelled
    default: nil
    }
  }
}

/// What the times of a job are, as a number in the ledger. The numbers stand in the conditions of indexes, and never
/// change: a job that waits for no time, or for one of the ledger's, has 0.
enum TimeCode {
  /// Its times are moments of the wall clock.
  static let byClock = 1
  /// It is held, whatever its time: it may have run in a ledger that was lost.
  static let restored = 2

  static func code(of job: Job) -> Int { (job.isByClock ? byClock : 0) + (job.isRestored ? restored : 0) }
}

/// A settlement as a number in the ledger; null while nobody has looked after the failed job.
enum SettlementCode {
  static let replayed = 1
  static let dropped = 2
  static let handled = 3
}
