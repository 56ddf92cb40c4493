import Foundation
import GRDB
import Processes

/// Why the ledger could not be opened, read or written. Its text says what happened, to which file, and what to do.
/// When a transaction throws one, nothing of that transaction was recorded.
package enum LedgerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process has the ledger.
  case inUse(path: String)
  /// The file cannot be opened or made.
  case cannotOpen(path: String, reason: String)
  /// So few descriptors are left to the process that the rest of it needs them.
  case tooFewDescriptors(path: String, left: Int)
  /// The file is something else, and was left as it is.
  case notALedger(path: String)
  /// A newer Teller wrote the file.
  case newerVersion(path: String)
  /// The file contradicts itself.
  case corrupt(path: String, reason: String)
  /// No room is left on the disk.
  case full(path: String)
  /// Another program holds the database's own lock.
  case busy(path: String)
  /// The file or its log was removed, moved or replaced while this process had it open. `process`: the id of that process,
  /// which still has what was written.
  case moved(path: String, process: Int32)
  /// The file or its folder may not be written.
  case readOnly(path: String)
  /// The disk answered with an error.
  case disk(path: String, reason: String)
  /// The task that read was cancelled.
  case cancelled
  /// Anything else, as a sentence for people. Mostly it is a mistake in the calling program.
  case failed(String)

  /// Whether the same call may succeed later although neither the program nor its configuration has changed.
  package var isTransient: Bool {
    switch self {
    case .inUse, .tooFewDescriptors, .full, .busy, .disk, .moved: true
    case .cannotOpen, .notALedger, .newerVersion, .corrupt, .readOnly, .cancelled, .failed: false
    }
  }

  /// Whether it can only be of a read beside the flow, such as one that found no descriptor free: nothing was to be
  /// recorded.
  package var isOfReading: Bool {
    switch self {
    case .cannotOpen, .tooFewDescriptors: true
    default: false
    }
  }

  package var description: String {
    switch self {
    case .inUse(let path):
      "the ledger \(path) is in use by another coordinator; stop that one first, or give this one a ledger of its own"
    case .cannotOpen(let path, let reason):
      "the ledger \(path) cannot be opened: \(reason); look whether its folder exists and may be written"
    case .tooFewDescriptors(let path, let left):
      """
      the ledger \(path) cannot be opened: file descriptors left: \(left); raise the limit (LimitNOFILE=, \
      ulimit -n), or look who holds connections
      """
    case .notALedger(let path):
      "\(path) is not a ledger of Teller; it was left as it is: name another file"
    case .newerVersion(let path):
      "the ledger \(path) was written by a newer version of Teller; start that version"
    case .corrupt(let path, let reason):
      "the ledger \(path) is damaged (\(reason)); stop, keep a copy of the file, and restore it from a backup"
    case .full(let path):
      "no room is left on the disk of the ledger \(path); nothing was recorded: make room"
    case .busy(let path):
      "another program has locked the ledger \(path); nothing was recorded: close that program"
    case .moved(let path, let process):
      """
      the ledger \(path) or its log was removed, moved or replaced; nothing was recorded: put the same file back, or \
      copy it and its log from /proc/\(process)/fd before you end this process, which alone still has them
      """
    case .readOnly(let path):
      "the ledger \(path) may not be written; let this user write the file and its folder"
    case .disk(let path, let reason):
      "the disk of the ledger \(path) failed (\(reason)); nothing was recorded: look at the disk and the system's log"
    case .cancelled:
      "reading the ledger was cancelled"
    case .failed(let text):
      text
    }
  }
}

extension LedgerError {
  /// What an error in the use of the ledger at `path` means for people.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as LedgerError: self = error
    case let error as DatabaseError: self.init(error, path: path)
    case let error as TooFewDescriptors: self = .tooFewDescriptors(path: path, left: error.left)
    case let error as Damage: self = .corrupt(path: path, reason: error.what)
    case is CancellationError: self = .cancelled
    default: self = .failed("the ledger \(path) was not changed: \(error)")
    }
  }

  private init(_ error: DatabaseError, path: String) {
    let reason = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_FULL: self = .full(path: path)
    case .SQLITE_BUSY, .SQLITE_LOCKED: self = .busy(path: path)
    case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(path: path)
    case .SQLITE_CANTOPEN: self = .cannotOpen(path: path, reason: reason)
    case .SQLITE_CORRUPT: self = .corrupt(path: path, reason: reason)
    case .SQLITE_NOTADB: self = .notALedger(path: path)
    case .SQLITE_IOERR: self = .disk(path: path, reason: reason)
    case .SQLITE_INTERRUPT, .SQLITE_ABORT: self = .cancelled
    // Without the SQL and its values: a payload is nobody's business in a log.
    default: self = .failed("the ledger \(path) refused (SQLite \(error.extendedResultCode.rawValue)): \(reason)")
    }
  }

  /// What the `errno` of opening a file of the ledger at `path` means for people.
  init(opening path: String, _ code: CInt) {
    switch code {
    case EACCES, EPERM, EROFS: self = .readOnly(path: path)
    case EMFILE, ENFILE: self = .tooFewDescriptors(path: path, left: Descriptors.left.count)
    case ENOSPC, EDQUOT: self = .full(path: path)
    default: self = .cannotOpen(path: path, reason: FileText.reason(code))
    }
  }
}

/// What an `errno` means for people.
enum FileText {
  static func reason(_ code: CInt) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }
}
