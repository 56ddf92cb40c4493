import Foundation
import GRDB

/// A copy of a ledger as it was at one moment, made while a coordinator has it.
///
/// All of it is read in one transaction, so what the coordinator writes meanwhile neither gets into the copy nor makes it
/// begin anew. Its price: until the copy is written, the ledger's log is not used from its beginning again, and grows.
package struct LedgerBackup: Sendable {
  /// How far it has come.
  package struct Progress: Hashable, Sendable {
    package var copied: Int64
    package var bytes: Int64
    /// Whether all is copied, and is being checked.
    package var isChecking: Bool
  }

  /// How much the ledger's log may grow meanwhile, in bytes. It is cut again, to `LedgerFile.logLimit`, once it is over.
  package static let logGrowthLimit: Int64 = 1 << 30
  /// What is copied at a time, in pages: 4 MiB.
  static let step: CInt = 1_024
  /// So often what is copied is written to disk, in steps. All at the end would have the coordinator wait for the disk.
  static let stepsPerSync = 8

  private let ledger: String
  private let target: String
  private let replaces: Bool
  private let logGrowthLimit: Int64

  /// A copy of the ledger at the path `ledger` to the path `target`. `replaces` says whether a file of that name may be
  /// replaced, and `logGrowthLimit` how much the ledger's log may grow meanwhile, in bytes.
  package init(
    of ledger: String, to target: String, replaces: Bool = false,
    logGrowthLimit: Int64 = LedgerBackup.logGrowthLimit
  ) {
    self.ledger = ledger
    self.target = target
    self.replaces = replaces
    self.logGrowthLimit = logGrowthLimit
  }

  /// Makes the copy, on a thread of its own, and returns when it is whole, checked, and on disk under its name. It is a
  /// file by itself, without a log, which only its owner can read. The task may be cancelled until it has its name.
  ///
  /// - Parameter show: Is told how far it has come, after each step.
  /// - Returns: What is in the copy.
  /// - Throws: ``BackupError``; then there is no copy, and a file that should have been replaced is still there.
  package func run(
    show: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws(BackupError) -> LedgerSummary {
    let stop = ReadStop()
    do {
      return try await stop.onThread {
        let source: DatabaseQueue
        do { source = try LedgerReader.open(ledger) } catch { throw BackupError(reading: ledger, error) }
        defer { try? source.close() }
        let file = try CopyFile(for: target, of: ledger, replaces: replaces)
        try copy(source, to: file, stop, show)
        let summary = try check(file, stop)
        try stop.check()
        try file.take(replaces: replaces)
        return summary
      }
    } catch {
      throw BackupError(writing: target, error)
    }
  }

  private func copy(
    _ source: DatabaseQueue, to file: CopyFile, _ stop: ReadStop, _ show: @escaping (Progress) -> Void
  ) throws {
    let copy = try DatabaseQueue(path: file.path, configuration: LedgerReader.configuration(isReadOnly: false))
    defer { try? copy.close() }
    let logBefore = logSize
    var steps = 0
    try copy.writeWithoutTransaction { target in
      // Nobody else knows the file, and it is removed unless all of it is on disk.
      try target.execute(sql: "PRAGMA synchronous = OFF")
      _ = try String.fetchOne(target, sql: "PRAGMA journal_mode = OFF")
      try source.read { database in
        let page = try page(of: database)
        try database.backup(to: target, pagesPerStep: LedgerBackup.step) { progress in
          try stop.check()
          guard logSize - logBefore <= logGrowthLimit else {
            throw BackupError.tooSlow(ledger: ledger, megabytes: logGrowthLimit / 1_000_000)
          }
          steps += 1
          if steps % LedgerBackup.stepsPerSync == 0 { try file.sync() }
          let done = Int64(progress.completedPageCount) * page
          show(Progress(copied: done, bytes: Int64(progress.totalPageCount) * page, isChecking: progress.isCompleted))
        }
      }
    }
  }

  /// The size of a page. From this first read on the transaction stays at its moment.
  private func page(of database: Database) throws -> Int64 {
    _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master")
    return try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
  }

  /// Makes the copy a file that needs no log beside it, and reads all of it once.
  private func check(_ file: CopyFile, _ stop: ReadStop) throws -> LedgerSummary {
    let path = file.path
    var configuration = LedgerReader.configuration(isReadOnly: false)
    configuration.prepareDatabase { database in
      // Then it makes no file for those who share the log: there is nobody.
      _ = try String.fetchOne(database, sql: "PRAGMA locking_mode = EXCLUSIVE")
      _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
    }
    let copy = try DatabaseQueue(path: path, configuration: configuration)
    return try stop.watching(copy) {
      try copy.read { database in
        if let problem = try LedgerReader.problem(of: database) {
          throw BackupError.damagedCopy(path: target, reason: problem)
        }
        return try LedgerSummary(database, path: path)
      }
    }
  }

  private var logSize: Int64 {
    var entry = stat()
    return stat(ledger + "-wal", &entry) == 0 ? Int64(entry.st_size) : 0
  }
}
