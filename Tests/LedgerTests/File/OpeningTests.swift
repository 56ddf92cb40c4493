import Dispatch
import Foundation
import GRDB
import JobModel
import Testing

@testable import Ledger

@Suite("opening and closing beside other tasks")
struct OpeningTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  /// Another program that keeps a transaction open.
  private func other() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(path: temporary.path, configuration: configuration)
  }

  private func run(_ sql: String, _ database: DatabaseQueue) throws {
    try database.unsafeRead { try $0.execute(sql: sql) }
  }

  @Test("a ledger that waits for its file to be free keeps no task waiting, not even the one that frees it")
  func opening() async throws {
    let other = try other()
    try run("BEGIN EXCLUSIVE", other)
    let thread = OneThread()
    let path = temporary.path
    let opening = Task(executorPreference: thread) { try await Ledger.open(path: path) }
    let freeing = Task(executorPreference: thread) { try other.unsafeRead { try $0.execute(sql: "COMMIT") } }
    try await freeing.value
    let ledger = try await opening.value
    #expect(try ledger.write { try $0.nextNumber() } == 1)
    try ledger.close()
  }

  @Test("a ledger that waits for a reader when it is closed keeps no task waiting, not even that reader's")
  func closing() async throws {
    let ledger = try temporary.open()
    try ledger.write { _ = try $0.acceptNew(.queued()) }
    let other = try other()
    try run("BEGIN; SELECT count(*) FROM job", other)
    try ledger.write { _ = try $0.acceptNew(.queued()) }
    let thread = OneThread()
    let closing = Task(executorPreference: thread) { try await ledger.closeElsewhere() }
    let reading = Task(executorPreference: thread) { try other.unsafeRead { try $0.execute(sql: "COMMIT") } }
    try await reading.value
    try await closing.value
    let log = try FileManager.default.attributesOfItem(atPath: temporary.path + "-wal")[.size] as? Int
    #expect(log == 0, "the log could not be copied into the file")
  }
}

/// The only thread of some tasks.
private final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "one thread")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
