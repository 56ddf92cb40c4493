import Foundation
import GRDB
import Synchronization

/// A connection to the ledger of a coordinator, which is another process perhaps. It cannot write: SQLite 3.40 may
/// damage the log when two connections write to it, or copy it back into the file. It takes a reader's lock only, and
/// no writer waits for that.
enum LedgerReader {
  /// Opens the ledger at `path`; there must be one.
  static func open(_ path: String) throws -> DatabaseQueue {
    // Not by opening the file: when that was closed, this process would lose its locks on the file.
    var entry = stat()
    guard stat(path, &entry) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { throw BackupError.missing(path: path) }
      throw BackupError.forbidden(path: path, reason: FileText.reason(errno))
    }
    guard entry.st_mode & S_IFMT == S_IFREG, entry.st_size > 0 else { throw LedgerError.notALedger(path: path) }
    guard access(path, R_OK) == 0 else { throw BackupError.forbidden(path: path, reason: FileText.reason(errno)) }
    let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: true))
    try queue.read { try LedgerFile.check($0, path: path) }
    return queue
  }

  static func configuration(isReadOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.label = "ledger.copy"
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(LedgerFile.lockWait)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -\(LedgerFile.cacheKiB)") }
    return configuration
  }

  /// How the file contradicts itself; nil when it does not. This reads the whole file.
  static func problem(of database: Database) throws -> String? {
    let answer = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
    return answer == "ok" ? nil : answer ?? "it cannot be checked"
  }
}

/// Stops a long read when its task is cancelled.
final class ReadStop: Sendable {
  private let isStopped = Atomic(false)
  private let reader = Mutex<DatabaseQueue?>(nil)

  /// Runs `body` on a thread that may be blocked.
  func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withTaskCancellationHandler {
      try await BlockingThread.run(body)
    } onCancel: {
      isStopped.store(true, ordering: .relaxed)
      reader.withLock { $0 }?.interrupt()
    }
  }

  /// Throws `cancelled` when the task is cancelled; called between two parts of the read.
  func check() throws {
    if isStopped.load(ordering: .relaxed) { throw BackupError.cancelled }
  }

  /// Runs one long statement of a connection, which the cancellation interrupts, and closes the connection.
  func watching<Value>(_ queue: DatabaseQueue, _ body: () throws -> Value) throws -> Value {
    reader.withLock { $0 = queue }
    defer {
      reader.withLock { $0 = nil }
      try? queue.close()
    }
    try check()
    return try body()
  }
}
