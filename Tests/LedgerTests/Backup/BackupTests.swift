import Dispatch
import Foundation
import JobModel
import Synchronization
import TestSupport
import Testing

@testable import Ledger

@Suite("a copy of a ledger")
struct BackupTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private var copy: String { temporary.folder.appending(path: "copy").path }

  private func fill(_ ledger: Ledger, _ count: Int, payload: Int = 500) throws {
    try ledger.write { transaction in
      for _ in 0..<count { _ = try transaction.acceptNew(.held(payload: Array(repeating: 7, count: payload))) }
    }
  }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: temporary.folder.path))
  }

  private func error(_ backup: LedgerBackup) async throws -> BackupError {
    do throws(BackupError) {
      _ = try await backup.run()
    } catch {
      return error
    }
    throw Unexpected("there is a copy")
  }

  @Test("holds all that was recorded, in one file that only its owner can read and a coordinator can open")
  func whole() async throws {
    let id = try await temporary.with { ledger async throws in
      try fill(ledger, 300)
      _ = try ledger.write { try $0.acceptNew(.queued()) }
      let summary = try await LedgerBackup(of: temporary.path, to: copy).run()
      #expect(summary.jobs == [.held: 300, .queued: 1])
      #expect(summary.id == ledger.id)
      #expect(summary.schema == LedgerSummary.knownSchema)
      return ledger.id
    }
    #expect(try names().filter { $0.hasPrefix("copy") } == ["copy"])
    let attributes = try FileManager.default.attributesOfItem(atPath: copy)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect((attributes[.size] as? NSNumber)?.int64Value == (try await LedgerSummary.check(copy)).bytes)
    let restored = try Ledger(path: copy)
    #expect(restored.id == id)
    #expect(try restored.write { try $0.released() }.count == 1)
    try fill(restored, 1)
    try restored.close()
  }

  @Test("is of one moment, and comes to its end, however much is written meanwhile")
  func whileWriting() async throws {
    try await temporary.with { ledger async throws in
      try fill(ledger, 4_000, payload: 8_000)
      let steps = Mutex(0)
      let summary = try await LedgerBackup(of: temporary.path, to: copy).run { _ in
        // Each step of the copy is followed by a change of what it has copied, and by more of what is to come.
        let written = try? ledger.write { transaction in
          _ = try transaction.statements.run("UPDATE job SET priority = 1 WHERE number = 1")
          return try transaction.acceptNew(.queued())
        }
        #expect(written != nil)
        steps.withLock { $0 += 1 }
      }
      #expect(steps.withLock { $0 } > 5)
      #expect(summary.jobs == [.held: 4_000])
      let check = try await LedgerSummary.check(temporary.path)
      #expect(check.jobs == [.held: 4_000, .queued: steps.withLock { $0 }])
    }
  }

  @Test("has what only the log has yet, also when nobody has the ledger open")
  func onlyTheLog() async throws {
    let other = temporary.folder.appending(path: "killed").path
    try await temporary.with { ledger async throws in
      try fill(ledger, 10)
      // As a coordinator that was killed leaves them.
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: temporary.path + suffix, toPath: other + suffix)
      }
    }
    let log = try Data(contentsOf: URL(filePath: other + "-wal"))
    #expect(!log.isEmpty)
    #expect(try await LedgerBackup(of: other, to: copy).run().jobs == [.held: 10])
    #expect(try Data(contentsOf: URL(filePath: other + "-wal")) == log, "the copy wrote to the log")
    #expect(try await LedgerSummary.check(copy).jobs == [.held: 10])
  }

  @Test("does not take the place of another file, unless told to, and then only once it is whole")
  func existing() async throws {
    try await temporary.with { ledger async throws in
      // More than one step: what goes wrong in the last one is noticed after it.
      try fill(ledger, 1_500, payload: 8_000)
      try Data("precious".utf8).write(to: URL(filePath: copy))
      #expect(try await error(LedgerBackup(of: temporary.path, to: copy)) == .exists(path: copy))
      let failed = LedgerBackup(of: temporary.path, to: copy, replaces: true, logGrowthLimit: -1)
      _ = try await error(failed)
      #expect(try Data(contentsOf: URL(filePath: copy)) == Data("precious".utf8))
      _ = try await LedgerBackup(of: temporary.path, to: copy, replaces: true).run()
    }
    #expect(try await LedgerSummary.check(copy).jobs == [.held: 1_500])
    #expect(try names().contains { $0.contains("partial") } == false)
  }

  @Test(
    "never takes the place of the ledger or of a file that belongs to it",
    arguments: ["", "-wal", "-shm", ".lock", "/../teller.ledger"])
  func ownFiles(suffix: String) async throws {
    try await temporary.with { ledger async throws in
      try fill(ledger, 1)
      let target = suffix.hasPrefix("/") ? temporary.folder.path + "/x" + suffix : temporary.path + suffix
      let error = try await error(LedgerBackup(of: temporary.path, to: target, replaces: true))
      #expect(error == .isTheLedger(path: target))
      let link = temporary.folder.appending(path: "link").path
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: temporary.path)
      #expect(
        try await self.error(LedgerBackup(of: temporary.path, to: link, replaces: true)) == .isTheLedger(path: link))
      #expect(try ledger.write { try $0.counts() }["deposits"]?[.held] == 1)
    }
  }

  @Test("is not put beside the log of another database")
  func foreignLog() async throws {
    try await temporary.with { ledger async throws in
      try fill(ledger, 1)
      try Data("log".utf8).write(to: URL(filePath: copy + "-wal"))
      #expect(try await error(LedgerBackup(of: temporary.path, to: copy)) == .logBeside(path: copy + "-wal"))
    }
  }

  @Test("of what is no ledger, or is not there, is refused, and nothing is left")
  func noLedger() async throws {
    let none = temporary.folder.appending(path: "none").path
    #expect(try await error(LedgerBackup(of: none, to: copy)) == .missing(path: none))
    for content in ["", "text that is long enough to be taken for a header of something that it is not, is it?"] {
      try Data(content.utf8).write(to: URL(filePath: none))
      #expect(try await error(LedgerBackup(of: none, to: copy)) == .ledger(.notALedger(path: none)))
    }
    #expect(try names() == ["none"])
  }

  @Test("into a folder that is not there says so")
  func noFolder() async throws {
    try await temporary.with { ledger async throws in
      try fill(ledger, 1)
      let target = temporary.folder.appending(path: "none/copy").path
      let error = try await error(LedgerBackup(of: temporary.path, to: target))
      guard case .cannotWrite(target, _) = error else { throw Unexpected("\(error)") }
    }
  }

  @Test("of a damaged ledger is none, and is removed")
  func damaged() async throws {
    try await temporary.with { try fill($0, 400) }
    let handle = try FileHandle(forUpdating: URL(filePath: temporary.path))
    let size = try handle.seekToEnd()
    // Not where it says what it is.
    for page in stride(from: size / 2 / 4_096 * 4_096, to: size, by: 3 * 4_096) {
      try handle.seek(toOffset: page)
      try handle.write(contentsOf: Data(repeating: 0xA5, count: 100))
    }
    try handle.close()
    let error = try await error(LedgerBackup(of: temporary.path, to: copy))
    switch error {
    case .damagedCopy(copy, _), .ledger(.corrupt): break
    default: throw Unexpected("\(error)")
    }
    #expect(try names().contains { $0.hasPrefix("copy") } == false)
    await #expect(throws: BackupError.self) { try await LedgerSummary.check(temporary.path) }
  }

  @Test("is given up when the ledger's log grows too much, and when its task is cancelled")
  func givenUp() async throws {
    // Closed, so that the log begins anew: until then it uses the room again that it has.
    try await temporary.with { try fill($0, 4_000, payload: 8_000) }
    try await temporary.with { ledger async throws in
      let slow = LedgerBackup(of: temporary.path, to: copy, logGrowthLimit: 100_000)
      do throws(BackupError) {
        _ = try await slow.run { _ in try? fill(ledger, 100) }
        Issue.record("there is a copy")
      } catch {
        guard case .tooSlow = error else { throw Unexpected("\(error)") }
      }
      #expect(try names().contains { $0.hasPrefix("copy") } == false)
      let began = AsyncStream<Void>.makeStream()
      let cancelled = DispatchSemaphore(value: 0)
      let task = Task {
        try await LedgerBackup(of: temporary.path, to: copy).run { _ in
          began.continuation.yield()
          cancelled.wait()
          cancelled.signal()
        }
      }
      for await _ in began.stream { break }
      task.cancel()
      cancelled.signal()
      let error = await #expect(throws: BackupError.self) { try await task.value }
      #expect(error == .cancelled)
      #expect(try names().contains { $0.hasPrefix("copy") } == false)
      // Nobody holds the ledger's log any more.
      try fill(ledger, 1)
    }
  }

  @Test("of a newer version's ledger is left to that version")
  func newer() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write {
        _ = try $0.statements.run("INSERT INTO grdb_migrations (identifier) VALUES ('999 of the future')")
      }
      #expect(
        try await error(LedgerBackup(of: temporary.path, to: copy)) == .ledger(.newerVersion(path: temporary.path)))
    }
  }

  @Test("can be made while a coordinator waits for nothing of it: its commits go on")
  func locks() async throws {
    try await temporary.with { ledger async throws in
      try fill(ledger, 2_000, payload: 8_000)
      let longest = Mutex(Duration.zero)
      _ = try await LedgerBackup(of: temporary.path, to: copy).run { _ in
        let start = ContinuousClock.now
        #expect(throws: Never.self) { try ledger.write { try $0.touch() } }
        longest.withLock { $0 = max($0, start.duration(to: .now)) }
      }
      print("the longest commit beside a copy: \(longest.withLock { $0 })")
      // It is cut as soon as nobody reads.
      try ledger.close()
      #expect(FileManager.default.fileExists(atPath: temporary.path + "-wal") == false)
    }
  }
}
