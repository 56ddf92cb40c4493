import Foundation
import SystemSupport
import TestSupport

/// A disk of a few megabytes for a ledger: a file system in memory that only the coordinator's own name space has. It is
/// there as long as that coordinator is. Where the system allows no such thing, the size of the coordinator's files is
/// limited instead, and the test says so.
struct SmallDisk: Sendable {
  /// Enough for some thousand jobs of these tests and for the log of the ledger.
  static let megabytes = 48

  private let folder: URL
  private let isMounted: Bool

  init(in folder: URL) async throws {
    self.folder = folder.appending(path: "disk")
    try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    isMounted = await SmallDisk.canMount(self.folder)
    if !isMounted {
      print("no file system can be mounted here: the coordinator's files are limited in size instead (RLIMIT_FSIZE)")
    }
  }

  private static func canMount(_ folder: URL) async -> Bool {
    let probe = try? RunningProcess.launch(
      URL(filePath: "/usr/bin/unshare"), arguments: ["-rm", "mount", "-t", "tmpfs", "tmpfs", folder.path])
    return await (try? probe?.waitForExit(within: .seconds(30))) == 0
  }

  /// A coordinator whose ledger is there. (A program that is told that a file is too large gets a signal first, unless
  /// that is ignored.)
  func launchCoordinator(of system: TellerSystem, environment: [String: String]) throws -> RunningProcess {
    let mount = "mount -t tmpfs -o size=\(SmallDisk.megabytes)m tmpfs \"$0\" && exec \"$@\""
    let shell = ["/bin/bash", "-c", isMounted ? mount : "trap '' XFSZ; exec \"$@\"", folder.path]
    let command = (isMounted ? ["/usr/bin/unshare", "-rm"] : []) + shell
    let teller = [try BuiltProducts.url("teller").path, "coordinator", "--ledger", ledger.path]
    return try system.launch(
      URL(filePath: command[0]), named: "teller coordinator", Array(command.dropFirst()) + teller,
      environment: environment)
  }

  private var ledger: URL { folder.appending(path: "teller.ledger") }

  /// The folder, as the coordinator has it.
  private func folder(seenBy coordinator: RunningProcess) -> URL {
    isMounted ? URL(filePath: "/proc/\(coordinator.pid)/root\(folder.path)") : folder
  }

  /// A copy of the ledger: the library that reads it would look for the original in a name space where it is not.
  func copyLedger(of coordinator: RunningProcess, to target: URL) async throws {
    try await coordinator.freeze()
    defer { coordinator.thaw() }
    for suffix in ["", "-wal"] {
      let bytes = try Data(contentsOf: folder(seenBy: coordinator).appending(path: "teller.ledger\(suffix)"))
      try bytes.write(to: URL(filePath: target.path + suffix))
    }
  }

  /// Takes all the room that is left.
  func fill(of coordinator: RunningProcess) async throws {
    guard isMounted else { return try await limitFiles(of: coordinator, to: "1") }
    let ballast = open(
      folder(seenBy: coordinator).appending(path: "ballast").path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard ballast >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { Foundation.close(ballast) }
    let block = [UInt8](repeating: 0, count: 4_096)
    for _ in 0...SmallDisk.megabytes * 256 where write(ballast, block, block.count) <= 0 {
      guard errno == ENOSPC else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      return
    }
  }

  /// Gives it back.
  func makeRoom(for coordinator: RunningProcess) async throws {
    guard isMounted else { return try await limitFiles(of: coordinator, to: "unlimited") }
    try FileManager.default.removeItem(at: folder(seenBy: coordinator).appending(path: "ballast"))
  }

  private func limitFiles(of coordinator: RunningProcess, to bytes: String) async throws {
    let command = try RunningProcess.launch(
      URL(filePath: "/usr/bin/prlimit"), arguments: ["--pid", "\(coordinator.pid)", "--fsize=\(bytes):unlimited"])
    guard try await command.waitForExit(within: .seconds(30)) == 0 else {
      throw StageError(what: "prlimit does not limit the coordinator's files")
    }
  }
}
