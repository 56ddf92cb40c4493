import Foundation
import GRDB
import JobModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a ledger is as a file: how it is known from others, and how its connections are set up.
enum LedgerFile {
  /// A read that lasts keeps the write-ahead log growing; once it is over, the log is cut to this, in bytes.
  static let logLimit = 64 * 1024 * 1024
  /// What each connection keeps of the file in memory, in KiB.
  static let cacheKiB = 16 * 1024
  /// How long a statement waits for a lock that another program has, e.g. a backup.
  static let lockWait: TimeInterval = 5
  /// How many reads go on at once; more wait.
  static let readers = 4

  static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "ledger"
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(lockWait)
    configuration.maximumReaderCount = readers
    configuration.persistentReadOnlyConnections = true
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA cache_size = -\(cacheKiB)")
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// Makes an empty file that only its owner can read, or looks at the one that is there without changing it.
  ///
  /// Only before any connection is open: closing a descriptor drops every lock that the process has on the file, those
  /// of SQLite too.
  static func prepare(_ path: String) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LedgerLock.error(opening: path, errno) }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: headerSize)
    let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    if count == 0 { return try recordEntry(of: path) }
    let hasLog = access(path + "-wal", F_OK) == 0
    guard count == headerSize, isLedger(header: header, hasLog: hasLog) else {
      throw LedgerError.notALedger(path: path)
    }
  }

  /// Sets the connection that writes up, brings the schema up to date, and reads who the ledger is.
  static func recognize(_ pool: DatabasePool, path: String) throws -> (LedgerID, Int) {
    let migrator = Migrations.migrator
    try pool.writeWithoutTransaction { database in
      try check(database, migrator, path: path)
      // After the pool has set up its log: it chooses NORMAL, which loses the last commits when the machine stops.
      try database.execute(sql: "PRAGMA synchronous = FULL")
      _ = try Int.fetchOne(database, sql: "PRAGMA journal_size_limit = \(logLimit)")
    }
    try migrator.migrate(pool)
    // On the connection that writes: the log stays beside the file when one that only reads has been opened.
    return try pool.write { database in
      let row = try Statements(database).first("SELECT id, epoch FROM ledger") {
        (LedgerID(try $0[0]), try $0[1] as Int)
      }
      guard let row else { throw Damage(what: "it does not say which ledger it is") }
      return row
    }
  }

  private static func check(_ database: Database, _ migrator: DatabaseMigrator, path: String) throws {
    let application = try Int32.fetchOne(database, sql: "PRAGMA application_id")
    let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
    guard application == Migrations.applicationID || (application == 0 && isEmpty) else {
      throw LedgerError.notALedger(path: path)
    }
    if try migrator.hasBeenSuperseded(database) { throw LedgerError.newerVersion(path: path) }
  }

  private static let headerSize = 100
  private static let magic = Array("SQLite format 3\0".utf8)

  /// Whether the first bytes may be a ledger's. Until the log has been copied back into the file, the file does not
  /// say so itself: then it has one page at most, and the log lies beside it.
  private static func isLedger(header: [UInt8], hasLog: Bool) -> Bool {
    guard header.starts(with: magic) else { return false }
    let application = header[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let pages = header[28..<32].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return application == UInt32(bitPattern: Migrations.applicationID) || (application == 0 && (pages <= 1 || hasLog))
  }

  /// Writes the folder's entry of a new file to disk: without it the file, however well written, can vanish.
  private static func recordEntry(of path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LedgerLock.error(opening: path, errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw LedgerLock.error(opening: path, errno) }
  }
}
