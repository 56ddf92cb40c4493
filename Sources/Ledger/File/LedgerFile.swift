import CSQLite
import Foundation
import GRDB
import JobModel

/// What a ledger is as a file: how it is told from other files, and how its connections are set up.
enum LedgerFile {
  /// While a long read goes on, the write-ahead log grows. After the read, the log is cut to this size, in bytes.
  static let logLimit = 64 * 1024 * 1024
  /// How much of the file each connection keeps in memory, in KiB.
  static let cacheKiB = 16 * 1024
  /// How long a statement waits for a lock of another program.
  static let lockWait: TimeInterval = 5
  /// How many reads go on at once; further reads wait.
  static let readers = 4

  static var configuration: Configuration {
    _ = keepsNoStatistics
    var configuration = Configuration()
    configuration.label = "ledger"
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(lockWait)
    configuration.maximumReaderCount = readers
    configuration.persistentReadOnlyConnections = true
    configuration.prepareDatabase { database in
      try TooFewDescriptors.check()
      try database.execute(sql: "PRAGMA cache_size = -\(cacheKiB)")
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// SQLite counts its memory, behind a lock, at each allocation. The counting costs time for every job, and nobody asks
  /// for the counts. If this process has used SQLite before, SQLite refuses the call and goes on counting.
  private static let keepsNoStatistics = teller_sqlite3_keep_no_statistics() == 0

  /// Makes an empty file that only its owner can read. If there is a file, it looks whether that can be a ledger, and
  /// changes nothing.
  ///
  /// Call it before any connection is open: when a descriptor is closed, the process loses every lock that it has on
  /// the file, also those of SQLite.
  static func prepare(_ path: String) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LedgerError(opening: path, errno) }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: headerSize)
    let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    if count == 0 { return try recordEntry(of: path) }
    let hasLog = access(path + "-wal", F_OK) == 0
    guard count == headerSize, isLedger(header: header, hasLog: hasLog) else {
      throw LedgerError.notALedger(path: path)
    }
  }

  /// Sets up the connection that writes, brings the schema up to date, and reads which ledger it is.
  static func recognize(_ pool: DatabasePool, path: String) throws -> (LedgerID, Int) {
    try pool.writeWithoutTransaction { database in
      let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
      try check(database, path: path, mayBeUnmarked: isEmpty)
      // Before anything else: what a full disk or a kill leaves half made is known for a ledger, and the next start goes on.
      if isEmpty { try Migrations.mark(database) }
      // Here, because the pool sets NORMAL when it sets up its log, and NORMAL loses the last commits when the machine
      // stops.
      try database.execute(sql: "PRAGMA synchronous = FULL")
      _ = try Int.fetchOne(database, sql: "PRAGMA journal_size_limit = \(logLimit)")
    }
    try Migrations.migrator.migrate(pool)
    // On the connection that writes: once a connection that only reads was open, closing leaves the log beside the
    // file.
    return try pool.write { try identity(Statements($0)) }
  }

  /// Which ledger it is, and its epoch.
  static func identity(_ statements: Statements) throws -> (LedgerID, Int) {
    let row = try statements.first("SELECT id, epoch FROM ledger") { (LedgerID(try $0[0]), try $0[1] as Int) }
    return try known(row, "it does not say which ledger it is")
  }

  /// The number of its schema.
  static func schema(_ statements: Statements) throws -> Int {
    try statements.first("SELECT max(CAST(identifier AS INTEGER)) FROM grdb_migrations") ?? 0
  }

  /// - Throws: `notALedger`, `newerVersion`.
  static func check(_ database: Database, path: String, mayBeUnmarked: Bool = false) throws {
    let application = try Int32.fetchOne(database, sql: "PRAGMA application_id")
    guard application == Migrations.applicationID || (application == 0 && mayBeUnmarked) else {
      throw LedgerError.notALedger(path: path)
    }
    guard try Migrations.know(database) else { throw LedgerError.newerVersion(path: path) }
  }

  private static let headerSize = 100
  private static let magic = Array("SQLite format 3\0".utf8)

  /// Whether these first bytes can be a ledger's. The mark of a ledger may still be in the log alone: then the file has
  /// one page at most, or the log lies beside it.
  private static func isLedger(header: [UInt8], hasLog: Bool) -> Bool {
    guard header.starts(with: magic) else { return false }
    let application = header[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let pages = header[28..<32].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return application == UInt32(bitPattern: Migrations.applicationID) || (application == 0 && (pages <= 1 || hasLog))
  }

  /// Writes the folder's entry of a new file to disk. Without its entry a file can vanish, although its content is on
  /// disk.
  private static func recordEntry(of path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LedgerError(opening: path, errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw LedgerError(opening: path, errno) }
  }
}
