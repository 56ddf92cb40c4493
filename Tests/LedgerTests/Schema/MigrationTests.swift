import Foundation
import GRDB
import JobModel
import Testing

@testable import Ledger

@Suite("a ledger of an earlier version")
struct MigrationTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  /// A file of the schema before this one, with what `fill` writes into it.
  private func writeOldLedger(_ fill: (Statements) throws -> Void) throws {
    let pool = try DatabasePool(path: temporary.path, configuration: LedgerFile.configuration)
    try pool.write { database in
      try database.execute(sql: ThirteenthSchema.sql)
      try fill(Statements(database))
    }
    try pool.close()
  }

  /// Jobs one by one: held, queued, succeeded, failed, cancelled; three of each.
  private func writeJobs() throws -> [JobState: [JobID]] {
    var ids: [JobState: [JobID]] = [:]
    try writeOldLedger { statements in
      for index in 0..<15 {
        let state = [JobState.held, .queued, .succeeded, .failed, .cancelled][index % 5]
        let id = JobID()
        ids[state, default: []].append(id)
        try statements.insertOld(id, Int64(index) + 1, state)
      }
      try statements.run("INSERT INTO worker (id, name, tellers, session) VALUES ('w', 'host/1', '{\"a\":2}', 3)")
    }
    return ids
  }

  @Test("is opened with everything it has: jobs of every state, payloads, attempts, notifications, workers")
  func nothingIsLost() async throws {
    let ids = try writeJobs()
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
        let id = try #require(notification.job)
        let job = try #require(try ledger.write { try $0.job(id) })
        #expect(job.number == notification.seq && job.progress.state.rawValue == notification.event)
      }
      #expect(try ledger.write { try $0.lastSeq() } == 15)
      let worker = WorkerRecord(id: WorkerID("w"), name: "host/1", tellers: ["a": 2], session: 3)
      #expect(try ledger.write { try $0.welcomedWorkers() } == [worker])
    }
  }

  /// Of ten jobs the first two are removed, and eight stand in the stream. The last three ended in the third epoch.
  private func writeNumberedLedger() throws -> [JobID] {
    let ids = (0..<8).map { _ in JobID() }
    try writeOldLedger { statements in
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

  @Test("has its plans as they were: each job of theirs is a step in its first round, and there are no rules")
  func plans() async throws {
    let (plan, first, second) = (JobID(), JobID(), JobID())
    try writeOldLedger { statements in
      try statements.run(
        "INSERT INTO plan (number, id, department, accepted_at) VALUES (1, ?, 'a', 0)", plan)
      for (number, id, state) in [(2, first, JobState.queued), (3, second, .held)] {
        try statements.insertOld(id, Int64(number), state)
        try statements.run(
          "UPDATE job SET plan = ?, step = 's' || number, order_plan = 1, order_rank = number, order_position = 0 WHERE id = ?",
          plan, id)
      }
    }
    try await temporary.with { ledger async throws in
      let (jobs, rules, record) = try await ledger.read {
        (try $0.jobs(ofPlan: plan), try $0.rules(ofPlan: plan), try #require(try $0.plan(plan)))
      }
      #expect(rules == nil && record.name == nil && record.outcome == nil)
      #expect(jobs.map(\.name) == ["s2", "s3"] && jobs.map(\.rank) == [2, 3] && jobs.allSatisfy { $0.round == 1 })
      #expect(try ledger.write { try $0.hasUnfinishedSteps(of: record) })
      #expect(try ledger.write { try $0.firstGroup(of: "a") } == OrderGroup(plan: 1, rank: 3))
      #expect(try await ledger.read { try $0.plans(PlanFilter(limit: 9)) }.plans.map(\.steps) == [2])
    }
  }

  @Test("goes on with its numbers when all that they were given to is removed")
  func numbersOfNothing() async throws {
    try writeOldLedger { try $0.run("UPDATE ledger SET sent_seq = 70") }
    try await temporary.with { ledger async throws in
      #expect(try ledger.write { try $0.lastSeq() } == 70)
      #expect(try ledger.write { try $0.end(try $0.acceptNew(.queued())) }.seq == 71)
    }
  }

  @Test("has the same tables, columns and indexes as a new one")
  func sameSchema() async throws {
    try writeOldLedger { _ in }
    let old = try await temporary.with { try parts(of: $0) }
    let new = try await TemporaryLedger().with { try parts(of: $0) }
    #expect(old == new && old.count > 100)
  }

  @Test("of one of the schemas before this one has the same, too", arguments: [23, 24])
  func lastSchemas(_ number: Int) async throws {
    try await temporary.with { try $0.write { try undo(to: number, $0) } }
    let old = try await temporary.with { try parts(of: $0) }
    let new = try await TemporaryLedger().with { try parts(of: $0) }
    #expect(old == new)
  }

  private func undo(to number: Int, _ transaction: LedgerTransaction) throws {
    for undone in [
      "DROP TABLE duplicate", "ALTER TABLE ledger DROP COLUMN unanswered_seq",
      "UPDATE grdb_migrations SET identifier = '24 events by plan'",
    ] {
      try transaction.statements.run(undone)
    }
    if number == 24 { return }
    for undone in [
      "DROP TABLE plan_name", "DROP INDEX event_plan", "DROP INDEX event_state", "DROP INDEX operation_started",
      """
      CREATE INDEX event_waiting ON event (plan, state, number) WHERE state IN ('kept', 'announced')
      """,
      "UPDATE grdb_migrations SET identifier = '23 removed jobs'",
    ] { try transaction.statements.run(undone) }
  }

  @Test("of the twenty-third schema keeps its shut gates and its events: those that submitted plans name")
  func namesInPlans() async throws {
    func accept(_ name: PlanName, isConfigured: Bool, _ transaction: LedgerTransaction) throws {
      let definition = PlanDefinition(
        name: name, department: "a", steps: [PlanStep(name: "s", kind: "k", rank: 1)],
        events: [PlanEvent("push", rank: 2), PlanEvent(try #require(EventName(name.name)), rank: 3)], gates: ["b", "c"])
      let plan = PlanSubmission(id: JobID(), definition: definition)
      _ = try transaction.accept(plan, at: .test(1))
      try transaction.save(PlanPhaseRecord(name: name, run: plan, isConfigured: isConfigured))
    }
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        try accept("submitted", isConfigured: false, transaction)
        try accept("other", isConfigured: false, transaction)
        try accept("configured", isConfigured: true, transaction)
        try transaction.save(PlanPhaseRecord(notStarted: "never"))
        try undo(to: 23, transaction)
      }
    }
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        let shut = try transaction.shutGates().map { "\($0.plan) \($0.gate)" }
        #expect(shut == ["other b", "other c", "submitted b", "submitted c"])
        #expect(try transaction.submittedPlans(receiving: "push", limit: 9) == ["other", "submitted"])
        #expect(try transaction.submittedPlans(receiving: "other", limit: 9) == ["other"])
      }
    }
  }

  /// Each column with its type, its default and its place in the primary key; each index as it was made. The order of
  /// the columns is no part of it: a new ledger has related columns side by side.
  private func parts(of ledger: Ledger) throws -> Set<String> {
    try ledger.write { transaction in
      let columns = try transaction.statements.all(
        """
        SELECT t.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || ifnull(c.dflt_value, '') || ' ' ||
          c.pk FROM sqlite_master t JOIN pragma_table_info(t.name) c
        """
      ) { try $0[0] as String }
      let others = try transaction.statements.all(
        "SELECT ifnull(sql, name) FROM sqlite_master WHERE type <> 'table'"
      ) { try $0[0] as String }
      let names = try transaction.statements.all("SELECT identifier FROM grdb_migrations") { try $0[0] as String }
      return Set(columns + others.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") } + names)
    }
  }

  @Test("of a schema that no released version wrote is refused, and left as it is")
  func neverReleased() async throws {
    try writeOldLedger { try $0.run("DELETE FROM grdb_migrations WHERE identifier = '13 grants'") }
    let error = #expect(throws: LedgerError.self) { try Ledger(path: temporary.path) }
    #expect("\(try #require(error))".contains("no version of Teller that was released wrote its schema"))
    let pool = try DatabasePool(path: temporary.path)
    #expect(try await pool.read { try $0.tableExists("reader") } == false)
  }
}

extension Statements {
  /// A job as the thirteenth schema knew it.
  fileprivate func insertOld(_ id: JobID, _ number: Int64, _ state: JobState) throws {
    let failure = state == .failed || state == .cancelled ? "x" : nil
    let at = Timestamp.test(number)
    let ended = state.isFinal ? at : nil
    try run(
      """
      INSERT INTO job (number, id, kind, department, priority, state, attempt, max_attempts, release, token, standing,
        accepted_at, released_at, started_at, finished_at, error_code, error_message, payload, seq)
      VALUES (?, ?, 'k', 'a', 4, ?, 1, 3, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      number, id, state, number, at, at, ended, ended, failure,
      failure, [UInt8(number)], state.isFinal ? number : nil)
  }
}
