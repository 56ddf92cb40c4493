import Foundation
import Processes

/// A copy that is being written: a file beside the name that it will have, which only its owner can read. It takes that
/// name once it is whole and on disk, and vanishes with this object otherwise.
final class CopyFile {
  /// Where it is written.
  let path: String
  private let target: String
  private let descriptor: CInt

  /// - Throws: ``BackupError``: `exists`, `isTheLedger`, `logBeside`, `cannotWrite`, `full`.
  init(for target: String, of ledger: String, replaces: Bool) throws(BackupError) {
    try CopyFile.checkPlace(target, of: ledger, replaces: replaces)
    let path = "\(target).partial-\(UUID().uuidString.prefix(8).lowercased())"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CopyFile.error(target, errno) }
    self.path = path
    self.target = target
  }

  deinit {
    // Also SQLite's own files beside it, which are there if SQLite was stopped in the middle.
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
    close(descriptor)
  }

  /// Writes what it has so far to disk.
  func sync() throws(BackupError) {
    guard fsync(descriptor) == 0 else { throw CopyFile.error(target, errno) }
  }

  /// Gives it its name, for good: the folder is on disk, too.
  func take(replaces: Bool) throws(BackupError) {
    try sync()
    // A second name cannot replace anything. On a disk without second names, `checkPlace` has looked a moment ago.
    let isNamed = !replaces && link(path, target) == 0
    if !isNamed {
      if !replaces, errno == EEXIST { throw .exists(path: target) }
      guard rename(path, target) == 0 else { throw CopyFile.error(target, errno) }
    } else {
      unlink(path)
    }
    let folder = open(URL(fileURLWithPath: target).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { throw CopyFile.error(target, errno) }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw CopyFile.error(target, errno) }
  }

  private static func checkPlace(_ target: String, of ledger: String, replaces: Bool) throws(BackupError) {
    for suffix in ["", "-wal", "-shm", "-journal", ".lock"] where isSame(target, ledger + suffix) {
      throw .isTheLedger(path: target)
    }
    var entry = stat()
    if lstat(target, &entry) == 0 {
      guard replaces else { throw .exists(path: target) }
      guard entry.st_mode & S_IFMT == S_IFREG else {
        throw .cannotWrite(path: target, reason: "something that is no file has that name")
      }
    }
    for suffix in ["-wal", "-journal"] where stat(target + suffix, &entry) == 0 && entry.st_size > 0 {
      throw .logBeside(path: target + suffix)
    }
  }

  /// Also by another path.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    let paths = [one, other].map { URL(fileURLWithPath: $0).standardizedFileURL.resolvingSymlinksInPath().path }
    if paths[0] == paths[1] { return true }
    guard let first = FileIdentity(one) else { return false }
    return first == FileIdentity(other)
  }

  private static func error(_ path: String, _ code: CInt) -> BackupError {
    switch code {
    case ENOSPC, EDQUOT: .full(path: path)
    default: .cannotWrite(path: path, reason: FileText.reason(code))
    }
  }
}
