#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The lock file beside the ledger, held for as long as this value lives. The kernel gives it back when the process
/// ends, however it ends, so it is never left behind; the file itself stays, because removing it would let two
/// processes hold two files of the same name.
struct LedgerLock: ~Copyable {
  private let descriptor: CInt

  /// Takes the lock of the ledger at `path`; throws `inUse` when somebody else has it.
  init(ledger path: String) throws(LedgerError) {
    // Close-on-exec: a child process that inherited the descriptor would hold the lock beyond our end.
    let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LedgerLock.error(opening: path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      if code == EWOULDBLOCK { throw .inUse(path: path) }
      throw .cannotOpen(path: path, reason: "its lock file cannot be locked: \(LedgerLock.text(code))")
    }
    self.descriptor = descriptor
  }

  deinit {
    // Closing alone leaves the lock with a child of this process that has not become its own program yet.
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// What an `errno` of opening a file of the ledger means for people.
  static func error(opening path: String, _ code: CInt) -> LedgerError {
    switch code {
    case EACCES, EPERM, EROFS: .readOnly(path: path)
    case ENOSPC, EDQUOT: .full(path: path)
    default: .cannotOpen(path: path, reason: text(code))
    }
  }

  private static func text(_ code: CInt) -> String {
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text)
  }
}
