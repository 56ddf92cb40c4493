import Foundation
import JobModel
import Testing

@testable import Ledger

@Suite("the ledger as a file")
struct FileTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private var url: URL { URL(filePath: temporary.path) }

  private func openingError(_ path: String? = nil) throws -> LedgerError {
    try #require(throws: LedgerError.self) { try Ledger(path: path ?? temporary.path).close() }
  }

  /// What a setting is on the connection that writes.
  private func pragma(_ name: String, of ledger: Ledger) throws -> String? {
    try ledger.write { transaction in
      try transaction.statements.first("SELECT CAST(\(name) AS TEXT) FROM pragma_\(name)") { try $0[0] as String }
    }
  }

  @Test("the ledger is on disk when a write returns: WAL, FULL, foreign keys")
  func settings() async throws {
    try await temporary.with { ledger async throws in
      #expect(try pragma("journal_mode", of: ledger) == "wal")
      #expect(try pragma("synchronous", of: ledger) == "2")
      #expect(try pragma("foreign_keys", of: ledger) == "1")
    }
  }

  @Test("a second coordinator is told that the ledger is in use, until the first one closes it")
  func lock() throws {
    let first = try temporary.open()
    #expect(try openingError() == .inUse(path: temporary.path))
    #expect(try openingError().isTransient)
    #expect("\(try openingError())".contains(temporary.path))
    try first.close()
    try temporary.open().close()
  }

  @Test(
    "nothing is written to a file that is not at its place any more; when it is back, the ledger goes on",
    arguments: ["", "-wal"], ["moved", "removed", "replaced"])
  func moved(suffix: String, what: String) async throws {
    try await temporary.with { ledger async throws in
      _ = try ledger.write { try $0.acceptNew(.queued()) }
      let (path, aside) = (temporary.path + suffix, temporary.path + ".aside")
      let files = FileManager.default
      try files.linkItem(atPath: path, toPath: aside)
      try files.removeItem(atPath: path)
      if what == "replaced" { try files.copyItem(atPath: aside, toPath: path) }
      let error = #expect(throws: LedgerError.self) { try ledger.write { try $0.acceptNew(.queued()) } }
      #expect(error == .moved(path: temporary.path, process: getpid()) && error?.isTransient == true)
      if what == "replaced" { try files.removeItem(atPath: path) }
      try files.moveItem(atPath: aside, toPath: path)
      _ = try ledger.write { try $0.acceptNew(.queued()) }
      #expect(try ledger.write { try $0.lastNumber() } == 2)
    }
  }

  @Test("a ledger that failed to open holds no lock")
  func lockAfterFailure() async throws {
    try Data("not a database, but long enough to be read as one".utf8).write(to: url)
    #expect(try openingError() == .notALedger(path: temporary.path))
    try FileManager.default.removeItem(at: url)
    try await temporary.with { #expect($0.epoch == 1) }
  }

  @Test("a file that is no database is refused and left as it is", arguments: [1, 99, 100, 5_000])
  func foreignFile(size: Int) throws {
    let content = Data(repeating: 0x41, count: size)
    try content.write(to: url)
    #expect(try openingError() == .notALedger(path: temporary.path))
    #expect(try Data(contentsOf: url) == content)
  }

  @Test("another program's database is refused and left as it is", arguments: [0, 77])
  func foreignDatabase(application: Int32) async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { _ = try $0.statements.run("CREATE TABLE other (x)") }
      _ = try ledger.write { try $0.statements.run("PRAGMA application_id = \(application)") }
    }
    let before = try Data(contentsOf: url)
    #expect(try openingError() == .notALedger(path: temporary.path))
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("a ledger of a newer version is refused")
  func newerVersion() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write {
        _ = try $0.statements.run("INSERT INTO grdb_migrations (identifier) VALUES ('999 of the future')")
      }
    }
    #expect(try openingError() == .newerVersion(path: temporary.path))
  }

  @Test("a damaged file is told as damaged, when it is opened or when the damage is read")
  func damage() async throws {
    let ids = (0..<200).map { _ in JobID() }
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        for id in ids { _ = try transaction.acceptNew(.held(id, payload: Array(repeating: 7, count: 500))) }
      }
    }
    let handle = try FileHandle(forUpdating: url)
    let size = try handle.seekToEnd()
    try handle.seek(toOffset: 4_096)
    try handle.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4_096))
    try handle.close()
    let error = try #require(throws: LedgerError.self) {
      let ledger = try temporary.open()
      defer { try? ledger.close() }
      _ = try ledger.write { transaction in try ids.map { try transaction.job($0) } }
    }
    guard case .corrupt = error else { throw Unexpected("\(error)") }
    #expect(!error.isTransient)
  }

  @Test(
    "a value that no version of Teller wrote is damage, not a crash",
    arguments: [
      "state = 9", "kind = 'a b'", "department = ''", "priority = 12", "id = x'00'", "token = -1, order_plan = 1",
      "state = 3", "settlement = 7", "settlement = 1",
    ])
  func wrongValue(change: String) async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.queued()) }
      try ledger.write { _ = try $0.statements.run("UPDATE job SET \(change) WHERE number = \(number)") }
      let error = #expect(throws: LedgerError.self) { try ledger.write { try $0.job(number: number) } }
      guard case .corrupt = error else { throw Unexpected("\(String(describing: error))") }
    }
  }

  @Test("a folder that is not there is named")
  func missingFolder() throws {
    let path = temporary.folder.appending(path: "none/teller.ledger").path
    let error = try openingError(path)
    guard case .cannotOpen(path, _) = error else { throw Unexpected("\(error)") }
  }

  @Test("a folder in the ledger's place is refused")
  func folderInstead() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    let error = try openingError()
    guard case .cannotOpen = error else { throw Unexpected("\(error)") }
  }

  @Test("a folder that may not be written is told as such", .disabled(if: geteuid() == 0, "root may write anywhere"))
  func readOnlyFolder() throws {
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o500]
    try FileManager.default.setAttributes(attributes, ofItemAtPath: temporary.folder.path)
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: temporary.folder.path)
    }
    #expect(try openingError() == .readOnly(path: temporary.path))
  }

  @Test("a ledger that may be read only says so when it is written")
  func readOnlyFile() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { _ = try $0.statements.run("PRAGMA query_only = 1") }
      let error = #expect(throws: LedgerError.self) { try ledger.write { try $0.acceptNew(.queued()) } }
      #expect(error == .readOnly(path: temporary.path))
    }
  }

  @Test("only its owner can read the file and its log")
  func permissions() async throws {
    try await temporary.with { ledger async throws in
      _ = try ledger.write { try $0.acceptNew(.queued()) }
      for suffix in ["", "-wal", ".lock"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: temporary.path + suffix)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(suffix)")
      }
    }
  }

  @Test("a full disk records nothing of the transaction, and the ledger goes on when there is room")
  func full() async throws {
    try await temporary.with { ledger async throws in
      let pages = try ledger.write { transaction in
        try transaction.statements.first("PRAGMA page_count") { try $0[0] as Int64 }
      }
      let limit = try #require(pages) + 10
      _ = try ledger.write { try $0.statements.first("PRAGMA max_page_count = \(limit)") { try $0[0] as Int64 } }
      let payload = [UInt8](repeating: 1, count: 100_000)
      let error = #expect(throws: LedgerError.self) {
        try ledger.write { transaction in
          _ = try transaction.acceptNew(.queued())
          _ = try transaction.acceptNew(.queued(payload: payload))
        }
      }
      #expect(error == .full(path: temporary.path))
      #expect(error?.isTransient == true)
      #expect(try ledger.write { try $0.released() } == [])
      _ = try ledger.write { try $0.statements.first("PRAGMA max_page_count = 1000000") { try $0[0] as Int64 } }
      #expect(try ledger.write { try $0.acceptNew(.queued(payload: payload)) } == 1)
    }
  }
}
