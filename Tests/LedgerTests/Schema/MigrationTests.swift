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

  /// A file as it was written when the notification of an outcome was a number in its job's row: of its ten jobs the
  /// first two are removed, and eight stand in the stream. The last three ended in the third epoch.
  private func writeNumberedLedger() throws -> [JobID] {
    let pool = try DatabasePool(path: temporary.path, configuration: LedgerFile.configuration)
    try Migrations.migrator.migrate(pool, upTo: "13 grants")
    let ids = (0..<8).map { _ in JobID() }
    try pool.write { database in
      let statements = Statements(database)
      try statements.run(
        "UPDATE ledger SET epoch = 3, epoch_at = ?, sent_seq = 8, used_number = 10", Timestamp.test(80))
      for (index, id) in ids.enumerated() {
        let state = [JobState.succeeded, .failed, .cancelled][index % 3]
        let seq = Int64(index) + 3
        try statements.run(
          """
          INSERT INTO job (number, id, kind, department, priority, state, attempt, max_attempts, release, token, standing,
            accepted_at, started_at, finished_at, ran_us, error_code, error_message, seq)
          VALUES (?, ?, 'k', 'a', 4, ?, 1, 3, 1, 1, 0, 0, ?, ?, 2000, ?, ?, ?)
          """, 20 - seq, id, state, Timestamp.test(seq * 10 - 1), Timestamp.test(seq * 10),
          state == .succeeded ? nil : "x", state == .succeeded ? nil : "no \"way\"", seq)
      }
      #expect(try explain(Migrations.toldOutcomes, statements).contains("SEARCH job USING INDEX job_seq (seq>?)"))
      #expect(try !explain(Migrations.toldOutcomes, statements).contains("TEMP B-TREE"))
    }
    try pool.close()
    return ids
  }

  private func explain(_ sql: String, _ statements: Statements) throws -> String {
    try statements.all("EXPLAIN QUERY PLAN " + sql) { try $0[3] as String }.joined(separator: "\n")
  }

  @Test("keeps the notifications of its outcomes, their numbers, and how many of them are in the stream")
  func notifications() async throws {
    let ids = try writeNumberedLedger()
    try await temporary.with { ledger async throws in
      let all = try await ledger.read { try $0.notifications(from: 1, limit: 99) }
      #expect(all.map(\.seq) == [3, 4, 5, 6, 7, 8, 9, 10] && all.map(\.job) == ids)
      let failed = JobModel.Notification(
        seq: 4, job: ids[1], kind: "k", department: "a", event: "failed", attempt: 1, at: .test(40), startedAgoMs: 1,
        runMs: 2, error: JobFailure(code: "x", message: "no \"way\""))
      #expect(all[1] == failed)
      let records = try await ledger.read { try $0.allNotifications(from: 1, limit: 99) }
      #expect(records.map(\.epoch) == [2, 2, 2, 2, 2, 3, 3, 3])
      #expect(records.map(\.subject) == ids.map { .job($0) })
      try ledger.write { transaction throws in
        #expect(try transaction.unsent(limit: 99).map(\.seq) == [9, 10])
        let identity = JobIdentity(id: ids[1], kind: "k", department: "a")
        #expect(try transaction.end(16, of: identity) == failed, "it is told once")
        #expect(try transaction.remove(endedBefore: .test(999), limit: 99).removed == 6)
        #expect(try transaction.notify("b", about: .rule("r"), at: .test(1)).number == 11)
      }
    }
  }

  @Test("goes on with its numbers when all that they were given to is removed")
  func numbersOfNothing() async throws {
    let pool = try DatabasePool(path: temporary.path, configuration: LedgerFile.configuration)
    try Migrations.migrator.migrate(pool, upTo: "13 grants")
    try await pool.write { try $0.execute(sql: "UPDATE ledger SET sent_seq = 70") }
    try pool.close()
    try await temporary.with { ledger async throws in
      #expect(try ledger.write { try $0.lastSeq() } == 70)
      #expect(try ledger.write { try $0.end(try $0.acceptNew(.queued())) }.seq == 71)
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
