import Foundation
import GRDB
package import JobModel
import Synchronization

/// The ledger: one SQLite file in which the coordinator keeps every job that it has accepted.
///
/// One process has the ledger at a time. That process writes on one connection, and reads beside it on connections that
/// cannot write. When ``write(_:)`` returns, what it wrote is on disk.
package final class Ledger: Sendable {
  /// Made with the file. Every assignment and every report carries it.
  package let id: LedgerID
  /// The epoch when the file was opened. It grows when the file was rolled back, so that no notification number is used
  /// twice in one epoch: see ``LedgerTransaction/beginEpoch(atLeast:at:)``.
  package let epoch: Int
  package let path: String

  let pool: DatabasePool
  private let lock: Mutex<LedgerLock?>
  private let files: FileWatch
  private let isClosing = Atomic(false)

  /// Opens the ledger at `path`, and makes it if there is none. Its folder must exist.
  ///
  /// - Throws: `inUse` when another process, or another value of this type, has the ledger; else what is wrong with it.
  package init(path: String) throws(LedgerError) {
    do throws(TooFewDescriptors) {
      try TooFewDescriptors.check(needed: TooFewDescriptors.ofLedger)
    } catch {
      throw LedgerError(error, path: path)
    }
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
    files = FileWatch(path)
  }

  /// As ``init(path:)``, on a thread that may be blocked: it takes long to bring a large ledger up to date, and another
  /// program may lock the file for seconds.
  package static func open(path: String) async throws(LedgerError) -> Ledger {
    try await BlockingThread.run { () throws(LedgerError) in try Ledger(path: path) }
  }

  /// As ``close()``, on a thread that may be blocked: closing copies the log into the file.
  package func closeElsewhere() async throws(LedgerError) {
    try await BlockingThread.run { () throws(LedgerError) in try self.close() }
  }

  /// Closes the file and unlocks it. Every later call throws, but another ``close()`` does nothing.
  package func close() throws(LedgerError) {
    // This copies the log into the file, so that the file alone is the whole ledger. While somebody still reads, the
    // log stays beside the file and belongs to it. Only once: SQLite crashes when the connection is closed.
    if !isClosing.exchange(true, ordering: .relaxed) {
      _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    }
    do { try pool.close() } catch { throw LedgerError(error, path: path) }
    lock.withLock { $0 = nil }
  }

  /// Runs `body` in one transaction, and returns when the transaction is on disk. When `body` throws, or the commit
  /// fails, nothing of the transaction is recorded. When the file is not at its path any more, `body` is not called.
  ///
  /// This blocks the calling thread; so call it on a thread that may be blocked, and never within another transaction.
  /// The transaction is valid only within `body`.
  @discardableResult
  package func write<T>(_ body: (LedgerTransaction) throws -> T) throws(LedgerError) -> T {
    try write(nil, body).value
  }

  /// As ``write(_:)``, and returns what the transaction has changed as well; nil when it has changed nothing.
  package func record<T>(
    _ body: (LedgerTransaction) throws -> T
  ) throws(LedgerError) -> (value: T, changes: ChangeSet?) {
    let recorder = Recorder()
    let (value, turn) = try write(recorder, body)
    return (value, turn.map { ChangeSet(turn: $0, writes: recorder.writes) })
  }

  /// Makes the changes of a turn of another ledger, of which this one is a copy. They are one transaction, which is on
  /// disk when this returns. A change set has the statements that it runs: take it only from who may write this ledger.
  ///
  /// - Returns: Whether the changes were made now. When they had been made before, this changes nothing.
  /// - Throws: `failed` when a turn before this one is missing, or when one of the statements changes nothing, because
  ///   this ledger is no copy of the other one. Then none of the changes is made.
  @discardableResult
  package func apply(_ changes: ChangeSet) throws(LedgerError) -> Bool {
    do {
      return try pool.write { try changes.apply(to: Statements($0)) }
    } catch {
      throw LedgerError(error, path: path)
    }
  }

  /// The size of the file and of its log, in bytes; what is not there has none.
  package var bytesOnDisk: Int64 {
    [path, path + "-wal"].reduce(0) { sum, path in
      var entry = stat()
      return stat(path, &entry) == 0 ? sum + Int64(entry.st_size) : sum
    }
  }

  private func write<T>(
    _ recorder: Recorder?, _ body: (LedgerTransaction) throws -> T
  ) throws(LedgerError) -> (value: T, turn: Int64?) {
    try files.check()
    do {
      return try pool.write { database in
        let transaction = LedgerTransaction(database, recorder)
        let value = try body(transaction)
        try transaction.recordEnded()
        return (value, transaction.hasChanges ? try transaction.countTurn() : nil)
      }
    } catch {
      throw LedgerError(error, path: path)
    }
  }

  /// Reads the ledger as it is when this begins: what is written meanwhile is not seen.
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
