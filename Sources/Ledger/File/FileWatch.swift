import Foundation
import Processes
import Synchronization

/// Notices when the files of an open ledger are removed, moved or replaced. SQLite keeps writing to a file that
/// has no name any more: what it writes then is on disk, and is lost when the process ends.
///
/// Two questions to the system for each transaction: a microsecond. What is removed between the question and the commit is
/// noticed by the next transaction.
final class FileWatch: Sendable {
  private let path: String
  private let ledger: FileIdentity?
  /// The log is made by the first transaction.
  private let log: Mutex<FileIdentity?>

  init(_ path: String) {
    self.path = path
    ledger = FileIdentity(path)
    log = Mutex(FileIdentity(FileWatch.log(of: path)))
  }

  private static func log(of path: String) -> String { path + "-wal" }

  /// - Throws: `moved` when the path names no file, or another one.
  func check() throws(LedgerError) {
    let present = FileIdentity(FileWatch.log(of: path))
    let isLogTheSame = log.withLock { known in
      if known == nil { known = present }
      return known == present
    }
    guard isLogTheSame, FileIdentity(path) == ledger else { throw .moved(path: path, process: getpid()) }
  }
}
