import Foundation
import GRDB
import JobModel
import Testing

@testable import Ledger

@Suite("a ledger of an earlier version")
struct MigrationTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  /// A file as it was written before jobs could be held for a time, one by one: held, queued, succeeded, failed,
  /// cancelled; three of each.
  private func writeOldLedger() throws -> [JobState: [JobID]] {
    let pool = try DatabasePool(path: temporary.path, configuration: LedgerFile.configuration)
    try Migrations.migrator.migrate(pool, upTo: "5 workers")
    var ids: [JobState: [JobID]] = [:]
    try pool.write { database in
      for index in 0..<15 {
        let state = [JobState.held, .queued, .succeeded, .failed, .cancelled][index % 5]
        let id = JobID()
        ids[state, default: []].append(id)
        try Statements(database).insertOld(id, Int64(index) + 1, state)
      }
      try database.execute(
        sql: "INSERT INTO worker (id, name, tellers, session) VALUES ('w', 'host/1', '{\"a\":2}', 3)")
    }
    try pool.close()
    return ids
  }

  @Test("is opened with everything it has: jobs of every state, payloads, attempts, notifications, workers")
  func nothingIsLost() async throws {
    let ids = try writeOldLedger()
    try await temporary.with { ledger async throws in
      for (state, ids) in ids {
        for id in ids {
          let job = try #require(try ledger.write { try $0.job(id) })
          #expect(job.progress.state == state)
          #expect(job.notBefore == nil && job.openDependencies == 0 && job.startBy == nil && job.timeout == nil)
          #expect(job.key == nil && job.againOf == nil && job.settlement == nil)
          #expect(try ledger.write { try $0.content(of: job.number) }?.payload == [UInt8(job.number)])
          #expect(try await ledger.read { try $0.attempts(of: id) }.isEmpty == !state.isFinal)
        }
      }
      let told = try ledger.write { try $0.unsent(limit: 99) }
      #expect(told.map(\.seq) == [3, 4, 5, 8, 9, 10, 13, 14, 15])
      for notification in told {
        let job = try #require(try ledger.write { try $0.job(notification.job) })
        #expect(job.number == notification.seq && job.progress.state.rawValue == notification.event)
      }
      #expect(try ledger.write { try $0.lastSeq() } == 15)
      let worker = WorkerRecord(id: WorkerID("w"), name: "host/1", tellers: ["a": 2], session: 3)
      #expect(try ledger.write { try $0.welcomedWorkers() } == [worker])
    }
  }

  @Test("answers from its new indexes what its jobs were never written for")
  func newIndexes() async throws {
    let ids = try writeOldLedger()
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        #expect(try transaction.heldCounts() == ["a": [0, 0, 0, 0, 3, 0, 0, 0, 0, 0]])
        #expect(try transaction.counts()["a"]?[.held] == 3)
        #expect(try transaction.held(in: "a", priority: .normal, limit: 9).map(\.job.id) == ids[.held])
        #expect(try transaction.released().map(\.job.id) == ids[.queued])
        #expect(try transaction.liveJobs(after: 0, upTo: 99, limit: 99).jobs.count == 6)
        #expect(try transaction.failedJobs(after: 0, upTo: 99, limit: 99).jobs.map(\.id) == ids[.failed])
        #expect(try transaction.dueCounts() == [:])
      }
      for state in [JobState.held, .queued, .succeeded, .failed, .cancelled] {
        let listed = try await ledger.read { try $0.jobs(JobFilter(states: [state])) }
        #expect(listed.map(\.id) == ids[state]?.reversed())
      }
      #expect(try await ledger.read { try $0.jobs(JobFilter(unsettled: true)) }.count == 3)
    }
  }

  @Test("has the same schema as a new one")
  func sameSchema() async throws {
    _ = try writeOldLedger()
    let sql = "SELECT ifnull(sql, name) FROM sqlite_master ORDER BY type, name"
    func schema(_ ledger: Ledger) throws -> [String] {
      try ledger.write { try $0.statements.all(sql) { try $0[0] as String } }
    }
    let old = try await temporary.with { try schema($0) }
    let new = try await TemporaryLedger().with { try schema($0) }
    #expect(old == new)
  }
}

extension Statements {
  /// A job as the fifth version of the schema knew it.
  fileprivate func insertOld(_ id: JobID, _ number: Int64, _ state: JobState) throws {
    let failure = state == .failed || state == .cancelled ? "x" : nil
    let at = Timestamp.test(number)
    let ended = state.isFinal ? at : nil
    try run(
      """
      INSERT INTO job (number, id, kind, department, priority, state, attempt, max_attempts, release, token, standing,
        accepted_at, released_at, started_at, finished_at, error_code, error_message, payload)
      VALUES (?, ?, 'k', 'a', 4, ?, 1, 3, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      number, id, state, number, at, at, ended, ended, failure,
      failure, [UInt8(number)])
    guard state.isFinal else { return }
    try run("INSERT INTO notification (seq, job, event) VALUES (?, ?, ?)", number, number, state)
  }
}
