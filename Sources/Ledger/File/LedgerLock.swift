import Foundation

/// The lock file beside the ledger, locked for as long as this value lives. The kernel takes the lock back when the
/// process ends, in whatever way. The file stays: if it were removed, two processes could lock two files of that name.
struct LedgerLock: ~Copyable {
  private let descriptor: CInt

  /// Locks the ledger at `path`; throws `inUse` when somebody else has locked it.
  init(ledger path: String) throws(LedgerError) {
    // Close-on-exec: a child process that inherited the descriptor would keep the lock after this process has ended.
    let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LedgerError(opening: path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      if code == EWOULDBLOCK { throw .inUse(path: path) }
      throw .cannotOpen(path: path, reason: "its lock file cannot be locked: \(FileText.reason(code))")
    }
    self.descriptor = descriptor
  }

  deinit {
    // A child of this process that has not started its program yet has the descriptor, too: closing alone would leave
    // the lock with that child.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
