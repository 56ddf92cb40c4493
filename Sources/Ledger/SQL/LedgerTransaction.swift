import GRDB
import JobModel

/// One transaction of the ledger. It is valid only within the closure that it is handed to, and on that thread.
package struct LedgerTransaction: LedgerReading {
  package let statements: Statements
  private let memory = Memory()
  private let changesBefore: Int

  init(_ database: Database, _ recorder: Recorder?) {
    statements = Statements(database, recorder: recorder)
    changesBefore = database.totalChangesCount
  }

  private final class Memory {
    struct Ending: Hashable {
      var department: Department
      var state: JobState
    }

    /// The acceptance number that comes next. It is read from the file once, when it is needed.
    var number: Int64?
    /// The same of the notifications.
    var notification: (number: Int64, epoch: Int)?
    /// Whether ids belong to anything but jobs. It is read once, when it is needed.
    var hasOtherOwners: Bool?
    /// How many jobs ended in this transaction.
    var ended: [Ending: Int] = [:]
  }
}

extension LedgerTransaction {
  /// Whether the transaction has changed anything.
  package var hasChanges: Bool { statements.database.totalChangesCount != changesBefore }

  /// Counts this turn.
  ///
  /// - Returns: Its number.
  func countTurn() throws -> Int64 {
    let turn: Int64? = try statements.first("UPDATE ledger SET turn = turn + 1 RETURNING turn")
    return try known(turn, "it does not say which ledger it is")
  }

  /// The number of the last turn that was counted.
  package func lastTurn() throws -> Int64 { try ChangeSet.lastTurn(statements) }

  /// The acceptance number that comes next. It counts as given after ``useNumber(_:)`` only, so that a submission that
  /// was known already leaves no gap.
  func nextNumber() throws -> Int64 {
    if let number = memory.number { return number }
    let last: Int64? = try statements.first(
      """
      SELECT max(
        (SELECT used_number FROM ledger),
        (SELECT ifnull(max(number), 0) FROM job),
        (SELECT ifnull(max(number), 0) FROM plan))
      """)
    let number = (last ?? 0) + 1
    memory.number = number
    return number
  }

  /// The last acceptance number that was given.
  package func lastNumber() throws -> Int64 { try nextNumber() - 1 }

  /// Whether there is a run of a plan or an event. Most ledgers have neither, and then no id of a job is looked up there.
  func hasOtherOwners() throws -> Bool {
    if let known = memory.hasOtherOwners { return known }
    let isThere = try statements.first("SELECT EXISTS (SELECT 1 FROM plan) OR EXISTS (SELECT 1 FROM event)") ?? false
    memory.hasOtherOwners = isThere
    return isThere
  }

  /// A plan or an event is recorded now.
  func noteOtherOwner() { memory.hasOtherOwners = true }

  func useNumber(_ number: Int64) { memory.number = number + 1 }

  /// The number of the notification that comes next, and its epoch. The number counts as given after
  /// ``useNotification(_:)`` only.
  func nextNotification() throws -> (number: Int64, epoch: Int) {
    if let next = memory.notification { return next }
    let last = try lastNotification()
    memory.notification = (last.seq + 1, last.epoch)
    return (last.seq + 1, last.epoch)
  }

  func useNotification(_ number: Int64) { memory.notification?.number = number + 1 }

  /// The epoch is another one now.
  func forgetEpoch() { memory.notification = nil }

  /// Records that the broker has the assignments of these releases. A release that is not its job's current one any
  /// more, or whose job has ended, is left out.
  package func markConfirmed(_ releases: [(number: Int64, release: Int)]) throws {
    // In the order of their numbers, so that rows of the same page are written together.
    let statement = try statements[.confirmJob]
    for (number, release) in releases.sorted(by: { $0.number < $1.number }) {
      try statement.run { values in
        values.add(number)
        values.add(release)
      }
    }
  }

  /// Records of jobs that are released that nobody knows whether the broker still has their assignments.
  package func markUnconfirmed(_ numbers: [Int64]) throws {
    for number in numbers.sorted() {
      try statements.run("UPDATE job SET confirmed = 0 WHERE number = ? AND state = 1", number)
    }
  }

  func countEnded(_ department: Department, _ state: JobState) {
    memory.ended[Memory.Ending(department: department, state: state), default: 0] += 1
  }

  /// Writes how many jobs ended: once in a transaction, because one write for each job would cost as much as the job.
  func recordEnded() throws {
    for (key, count) in memory.ended {
      try statements.run(
        """
        INSERT INTO ended (department, state, jobs) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET jobs = jobs + excluded.jobs
        """, key.department, key.state, count)
    }
    memory.ended = [:]
  }
}

extension HotStatement {
  static let confirmJob = HotStatement(
    "UPDATE job SET confirmed = 1 WHERE number = ? AND release = ? AND state = 1")
}
