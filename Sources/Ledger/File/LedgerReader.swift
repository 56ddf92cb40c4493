import Foundation
import GRDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A connection of another process than the coordinator. It cannot write: SQLite 3.40 may damage a log that two
/// connections write or bring back into the file. It takes no lock but a reader's, for which no writer waits.
enum LedgerReader {
  /// What it keeps of the file in memory, in KiB.
  static let cacheKiB = 16 * 1024

  /// Opens the ledger at `path`; there must be one.
  static func open(_ path: String) throws -> DatabaseQueue {
    // Not by opening it: closing that would drop the locks of this process on the file.
    var entry = stat()
    guard stat(path, &entry) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { throw BackupError.missing(path: path) }
      throw BackupError.forbidden(path: path, reason: FileText.reason(errno))
    }
    guard entry.st_mode & S_IFMT == S_IFREG, entry.st_size > 0 else { throw LedgerError.notALedger(path: path) }
    guard access(path, R_OK) == 0 else { throw BackupError.forbidden(path: path, reason: FileText.reason(errno)) }
    let queue = try DatabaseQueue(path: path, configuration: configuration(isReadOnly: true))
    try queue.read { try recognize($0, path: path) }
    return queue
  }

  static func configuration(isReadOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.label = "ledger.copy"
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(LedgerFile.lockWait)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -\(cacheKiB)") }
    return configuration
  }

  /// - Throws: `notALedger`, `newerVersion`.
  private static func recognize(_ database: Database, path: String) throws {
    guard try Int32.fetchOne(database, sql: "PRAGMA application_id") == Migrations.applicationID else {
      throw LedgerError.notALedger(path: path)
    }
    if try Migrations.migrator.hasBeenSuperseded(database) { throw LedgerError.newerVersion(path: path) }
  }

  /// How the file contradicts itself; nil when it does not. It reads all of the file.
  static func problem(of database: Database) throws -> String? {
    let answer = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
    return answer == "ok" ? nil : answer ?? "it cannot be checked"
  }
}

/// What an `errno` means for people.
enum FileText {
  static func reason(_ code: CInt) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }
}

/// Ends what reads for a long time when its task is cancelled.
final class ReadStop: Sendable {
  private let isStopped = Atomic(false)
  private let reader = Mutex<DatabaseQueue?>(nil)

  /// Runs what blocks its thread on one of its own.
  func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
      }
    } onCancel: {
      isStopped.store(true, ordering: .relaxed)
      reader.withLock { $0 }?.interrupt()
    }
  }

  /// Between two steps.
  func check() throws {
    if isStopped.load(ordering: .relaxed) { throw BackupError.cancelled }
  }

  /// Runs one long statement of that connection, and closes it.
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
