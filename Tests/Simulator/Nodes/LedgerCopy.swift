import AuditSupport
import Foundation
import GRDB
import Ledger
import Synchronization

/// The file of a ledger, copied from one that was made before: to make one takes longer than a schedule.
final class LedgerCopy {
  let url: URL
  var path: String { url.path }
  private let backup: URL
  private var opened: AuditSupport.LedgerReading?

  /// `number`: another one is another ledger.
  init(in folder: URL, number: Int) throws {
    url = folder.appending(path: "ledger-\(number)")
    backup = folder.appending(path: "backup-\(number)")
    try LedgerCopy.template(number).write(to: url)
  }

  /// The ledger as it is at any moment, for one who only reads: to open it each time would take longer than to read.
  var reading: AuditSupport.LedgerReading {
    get throws {
      let reading = try opened ?? AuditSupport.LedgerReading(url)
      opened = reading
      return reading
    }
  }

  /// Nobody reads it any more.
  func close() {
    try? opened?.close()
    opened = nil
  }

  /// Tests make some at the same time.
  private static let templates = Mutex<[Int: Data]>([:])

  private static func template(_ number: Int) throws -> Data {
    if let known = templates.withLock({ $0[number] }) { return known }
    let data = try makeTemplate(number)
    templates.withLock { $0[number] = data }
    return data
  }

  private static func makeTemplate(_ number: Int) throws -> Data {
    let folder = FileManager.default.temporaryDirectory.appending(path: "teller-template-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "ledger")
    try Ledger(path: file.path).close()
    let database = try DatabaseQueue(path: file.path)
    try database.write { try $0.execute(sql: "UPDATE ledger SET id = ?", arguments: ["ledger-\(number)"]) }
    try database.close()
    return try Data(contentsOf: file)
  }

  /// Nothing is recorded any more, as on a full disk.
  private(set) var isFull = false

  func fillUp() throws {
    try change(
      "CREATE TRIGGER IF NOT EXISTS no_room BEFORE UPDATE OF turn ON ledger BEGIN SELECT RAISE(ABORT, 'full'); END")
    isFull = true
  }

  /// There is room again.
  func makeRoom() throws {
    guard isFull else { return }
    try change("DROP TRIGGER IF EXISTS no_room")
    isFull = false
  }

  /// Writes past the ledger.
  func change(_ sql: String) throws {
    let database = try DatabaseQueue(path: path)
    try database.write { try $0.execute(sql: sql) }
    try database.close()
  }

  /// Keeps a copy of the ledger as it is now.
  func backUp() throws {
    try makeRoom()
    try? FileManager.default.removeItem(at: backup)
    try copy(to: backup.path)
  }

  /// Copies the ledger as it is now.
  func copy(to target: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let source = try DatabaseQueue(path: path, configuration: configuration)
    let file = try DatabaseQueue(path: target)
    try source.backup(to: file)
    try file.close()
    try source.close()
  }

  var hasBackup: Bool { FileManager.default.fileExists(atPath: backup.path) }

  /// The ledger is what it was when the copy was made. Nobody may have it open.
  func restore() throws { try take(from: backup.path) }

  /// The ledger is another file's copy. Nobody may have one of them open.
  func take(from source: String) throws {
    close()
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    try FileManager.default.copyItem(atPath: source, toPath: path)
  }
}
