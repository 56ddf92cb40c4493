import Foundation
import Processes

/// Looks at this machine.
enum MachineExamination {
  /// The least room for a ledger: its log alone may grow to that, in bytes.
  static let leastRoom: Int64 = 256 << 20
  /// A ledger is copied when it is backed up or upgraded, so its disk needs room for one more.
  private static let roomForCopies: Int64 = 1
  /// The fewest descriptors with which a coordinator or a page serves many clients.
  static let fewestDescriptors = 1_024

  static func descriptors(_ left: (count: Int, limit: Int) = Descriptors.left) -> [Finding] {
    guard left.limit < fewestDescriptors else { return [.ok(.descriptors, "a process may open \(left.limit)")] }
    return [
      .wrong(
        .descriptors, "a process may open only \(left.limit)",
        cure: "raise the limit to \(fewestDescriptors) or more (LimitNOFILE, ulimit -n)")
    ]
  }

  /// The disk of the ledger's folder.
  static func disk(of ledger: String) -> [Finding] {
    let folder = URL(fileURLWithPath: ledger).deletingLastPathComponent().path
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else {
      return [.wrong(.disk, "there is no folder \(folder) for the ledger", cure: "make it, or correct `ledger:`")]
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      return [
        .wrong(
          .disk, "this user may not write to the ledger's folder \(folder)",
          cure: "run the command as the coordinator's user, or give it the folder (chown)")
      ]
    }
    let size = (try? FileManager.default.attributesOfItem(atPath: ledger)[.size] as? NSNumber)?.int64Value ?? 0
    return [room(free, for: size, in: folder)]
  }

  /// What is said of that many free bytes, for a ledger of that many.
  static func room(_ free: Int64, for size: Int64, in folder: String) -> Finding {
    let needed = leastRoom + size * roomForCopies
    if free < needed {
      return .wrong(
        .disk, "\(free >> 20) MiB are free in \(folder), and the ledger of \(size >> 20) MiB wants \(needed >> 20)",
        cure: "free some, or let retention remove more of the ended jobs (`retention:`)")
    }
    return .ok(.disk, "\(free >> 20) MiB are free in \(folder)")
  }
}
