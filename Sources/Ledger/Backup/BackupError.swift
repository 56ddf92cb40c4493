import GRDB

/// Why there is no backup, or why a ledger could not be looked at. Each says what happened, to which file, and what to
/// do. The ledger is as it was in any case, and no half of a copy is left.
package enum BackupError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is no such file.
  case missing(path: String)
  /// The ledger cannot be read.
  case ledger(LedgerError)
  /// The ledger, or its folder, does not let this user read it.
  case forbidden(path: String, reason: String)
  /// A file of that name is there, and nobody said that it may be replaced.
  case exists(path: String)
  /// The copy would take the place of the ledger itself, or of a file that belongs to it.
  case isTheLedger(path: String)
  /// Beside the copy's name there is the log of another database, which the copy would be mixed with.
  case logBeside(path: String)
  /// The copy cannot be made, written, or given its name.
  case cannotWrite(path: String, reason: String)
  /// No room is left on the disk of the copy.
  case full(path: String)
  /// The copy is not what it should be.
  case damagedCopy(path: String, reason: String)
  /// The ledger's log has grown for so long that it could have filled the ledger's disk.
  case tooSlow(ledger: String, megabytes: Int64)
  /// The task was cancelled.
  case cancelled

  package var description: String {
    switch self {
    case .missing(let path):
      "there is no ledger \(path): name it with --ledger, TELLER_LEDGER or in teller.yaml"
    case .ledger(let error):
      error.description
    case .forbidden(let path, let reason):
      "the ledger \(path) cannot be read (\(reason)): run this as the user who runs the coordinator"
    case .exists(let path):
      "\(path) exists and was left as it is: name another file, or replace it with --force"
    case .isTheLedger(let path):
      "\(path) belongs to the ledger itself and was left as it is: name another file"
    case .logBeside(let path):
      "\(path) belongs to another database, and a copy beside it would be mixed with it: name another file"
    case .cannotWrite(let path, let reason):
      "the copy \(path) cannot be written: \(reason); look at its folder, and whether this user may write there"
    case .full(let path):
      "no room is left on the disk of the copy \(path); there is no copy: make room, or name another disk"
    case .damagedCopy(let path, let reason):
      "the copy \(path) is damaged (\(reason)) and was removed; look at the ledger with `teller ledger check`"
    case .tooSlow(let ledger, let megabytes):
      "while it was copied, the log of the ledger \(ledger) grew by more than \(megabytes) MB; there is no copy: "
        + "write it to a faster disk, or when less is going on"
    case .cancelled:
      "interrupted; there is no copy"
    }
  }
}

extension BackupError {
  /// What an error that came up while the ledger at `path` was read means for people.
  init(reading path: String, _ error: any Error) {
    if let error = error as? BackupError {
      self = error
      return
    }
    switch LedgerError(error, path: path) {
    case .cancelled: self = .cancelled
    case .readOnly(let path): self = .forbidden(path: path, reason: "its log may not be opened")
    case .cannotOpen(let path, let reason): self = .forbidden(path: path, reason: reason)
    case let error: self = .ledger(error)
    }
  }

  /// The same while the copy at `path` was written. The disk that failed may also have been the ledger's.
  init(writing path: String, _ error: any Error) {
    if let error = error as? BackupError {
      self = error
      return
    }
    // What SQLite says of a copy that it could not write is `not an error`.
    if let error = error as? DatabaseError, error.resultCode == .SQLITE_IOERR {
      let code = error.extendedResultCode.rawValue
      self = .cannotWrite(path: path, reason: "a disk answered with an error (SQLite \(code))")
      return
    }
    switch LedgerError(error, path: path) {
    case .cancelled: self = .cancelled
    case .full: self = .full(path: path)
    case .corrupt(_, let reason): self = .damagedCopy(path: path, reason: reason)
    case let error: self = .cannotWrite(path: path, reason: error.description)
    }
  }
}
