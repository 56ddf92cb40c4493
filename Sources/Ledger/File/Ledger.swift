import Foundation
import GRDB
package import JobModel
import Synchronization

/// The ledger: one SQLite file in which the coordinator keeps every job that it has accepted.
///
/// One process has it at a time, and that process writes on one connection only; reading happens beside it, on
/// connections that cannot write. What ``write(_:)`` returned from is on disk.
package final class Ledger: Sendable {
  /// Made with the file. Every assignment and report carries it.
  package let id: LedgerID
  /// Grows when a file is rolled back, so that notification numbers are never used twice. As it was when the file was
  /// opened: see ``LedgerTransaction/beginEpoch(atLeast:)``.
  package let epoch: Int
  package let path: String

  let pool: DatabasePool
  private let lock: Mutex<LedgerLock?>
  private let isClosing = Atomic(false)
  /// Whether a turn was counted for what was written last, and not recorded: one is enough for all until a turn is
  /// recorded again, so that those who write down nothing pay nothing.
  private let hasGap = Atomic(false)

  /// Opens the ledger at `path`, and makes it if there is none; its folder must exist.
  ///
  /// - Throws: `inUse` when another process, or another value of this type, has it; what else is wrong with the file.
  package init(path: String) throws(LedgerError) {
    let lock = try LedgerLock(ledger: path)
    do {
      try LedgerFile.prepare(path)
      pool = try DatabasePool(path: path, configuration: LedgerFile.configuration)
      (id, epoch) = try LedgerFile.recognize(pool, path: path)
    } catch {
      throw LedgerError(error, path: path)
    }
    self.path = path
    self.lock = Mutex(lock)
  }

  /// The same on a thread that may be blocked: bringing a large ledger up to date takes minutes, and another program may
  /// have the file for seconds.
  package static func open(path: String) async throws(LedgerError) -> Ledger {
    try await BlockingThread.run { () throws(LedgerError) in try Ledger(path: path) }
  }

  /// As ``close()``, on a thread that may be blocked: what is in the log is copied into the file.
  package func closeElsewhere() async throws(LedgerError) {
    try await BlockingThread.run { () throws(LedgerError) in try self.close() }
  }

  /// Closes the file and gives its lock back; every later call throws. Closing twice does nothing.
  package func close() throws(LedgerError) {
    // So that the file alone is the whole ledger. Where somebody still reads, the log stays beside it, and counts. Not
    // on a connection that is closed: SQLite does not survive that.
    if !isClosing.exchange(true, ordering: .relaxed) {
      _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }
    do { try pool.close() } catch { throw LedgerError(error, path: path) }
    lock.withLock { $0 = nil }
  }

  /// Runs `body` in one transaction, and returns when it is on disk. When `body` throws, or the commit fails, nothing
  /// of it is recorded.
  ///
  /// It blocks the calling thread until then, so it is called from a thread that may be blocked, never from within
  /// another transaction. The transaction is valid only within `body`.
  @discardableResult
  package func write<T>(_ body: (LedgerTransaction) throws -> T) throws(LedgerError) -> T {
    try write(nil, body).value
  }

  /// The same, and what it wrote; nil when it changed nothing.
  package func record<T>(
    _ body: (LedgerTransaction) throws -> T
  ) throws(LedgerError) -> (value: T, changes: ChangeSet?) {
    let recorder = Recorder()
    let (value, turn) = try write(recorder, body)
    return (value, turn.map { ChangeSet(turn: $0, writes: recorder.writes) })
  }

  /// Makes the changes of a turn of another ledger, whose copy this one is, in one transaction that is on disk when it
  /// returns. A change set says itself what it does to the file: it is for those alone who may write the ledger.
  ///
  /// - Returns: Whether they were made now; false: they had been made before, and nothing is changed.
  /// - Throws: `failed` when a turn before this one is missing, or one of the changes finds nothing to change: then none
  ///   of them is made.
  @discardableResult
  package func apply(_ changes: ChangeSet) throws(LedgerError) -> Bool {
    do {
      return try pool.write { try changes.apply(to: Statements($0)) }
    } catch {
      throw LedgerError(error, path: path)
    }
  }

  private func write<T>(
    _ recorder: Recorder?, _ body: (LedgerTransaction) throws -> T
  ) throws(LedgerError) -> (value: T, turn: Int64?) {
    do {
      let (value, turn) = try pool.write { database in
        let transaction = LedgerTransaction(database, recorder)
        let value = try body(transaction)
        try transaction.recordEnded()
        let isTurn = transaction.hasChanges && (recorder != nil || !hasGap.load(ordering: .relaxed))
        return (value, isTurn ? try transaction.countTurn() : nil)
      }
      if turn != nil { hasGap.store(recorder == nil, ordering: .relaxed) }
      return (value, turn)
    } catch {
      throw LedgerError(error, path: path)
    }
  }

  /// Reads a consistent state of the ledger: that of the last transaction before it began.
  ///
  /// - Throws: `cancelled` when the task is cancelled meanwhile.
  package func read<T: Sendable>(_ body: @Sendable (LedgerQueries) throws -> T) async throws(LedgerError) -> T {
    do {
      return try await pool.read { try body(LedgerQueries($0)) }
    } catch {
      throw LedgerError(error, path: path)
    }
  }
}
