import GRDB
import JobModel
import Testing

@testable import Ledger

@Suite("indexes")
struct IndexTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  static let uses: [(index: String, sql: String)] = [
    (
      "job_ready (department=? AND priority=?)",
      """
      SELECT * FROM job WHERE \(Shelf.readyCondition) AND department = 'a' AND priority = 4
      ORDER BY standing, number LIMIT 9
      """
    ),
    (
      "job_order (department=?",
      """
      SELECT * FROM job INDEXED BY job_order WHERE state = 0 AND order_plan IS NOT NULL AND department = 'a'
      ORDER BY order_plan, order_rank, order_position, number LIMIT 1
      """
    ),
    ("job_state (state=?)", "SELECT department, count(*) FROM job WHERE state = 1 GROUP BY department"),
    ("job_plan (plan=?)", "SELECT * FROM job WHERE plan = x'00'"),
    ("plan_open (department=? AND rowid<?)", PlanLists.newestOpen.replacing("?", with: "4")),
    ("plan_open (department>?)", PlanLists.nextDepartment.replacing("?", with: "4")),
    ("key USING PRIMARY KEY (kind=? AND text>?)", KeyLists.ofKind.replacing("?", with: "4")),
    ("key USING PRIMARY KEY ((kind,text)>(?,?))", KeyLists.ofAllKinds.replacing("?", with: "4")),
    ("job_ready (department=? AND priority=?)", WaitingJobs.firstReady.replacing("?", with: "4")),
    (
      "job_withheld (withheld=? AND department=? AND kind=? AND priority=?)",
      WaitingJobs.firstWithheld.replacing("?", with: "4")
    ),
    ("job_withheld (withheld=? AND department=? AND kind>?)", WaitingJobs.nextKind.replacing("?", with: "4")),
    ("job_ready (department=? AND priority=?)", NextJobs.ready.replacing("?", with: "4")),
    ("job_withheld (withheld=? AND department=?)", NextJobs.withheld.replacing("?", with: "4")),
    ("job_order (department=?", NextJobs.inOrder.replacing("?", with: "4")),
    ("plan_open (department=?)", "SELECT number FROM plan WHERE state IS NULL AND department = 'a' ORDER BY number"),
    ("(id=?)", "SELECT * FROM job WHERE id = x'00'"),
    (
      "notification USING INTEGER PRIMARY KEY (rowid>?)",
      "SELECT \(OutcomeRow.columns) FROM \(OutcomeRow.sourceWithPlan) WHERE notification.number >= 5 ORDER BY 1 LIMIT 9"
    ),
    ("job USING INDEX sqlite_autoindex_job_1 (id=?)", LedgerQueries.endedJobs.replacing("?", with: "9")),
  ]

  @Test("each frequent question is answered from its index, without sorting", arguments: uses)
  func plan(index: String, sql: String) async throws {
    try await temporary.with { ledger async throws in
      let plan = try ledger.write { transaction in
        try transaction.statements.all("EXPLAIN QUERY PLAN " + sql) { try $0[3] as String }.joined(separator: "\n")
      }
      #expect(plan.contains(index), "\(plan)")
      #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }
  }

  static let newUses: [(index: String, sql: String)] = [
    (
      "job_due (by_clock=? AND not_before>? AND not_before<?)",
      """
      SELECT id FROM job INDEXED BY job_due
      WHERE state = 0 AND by_clock = 0 AND not_before IS NOT NULL AND not_before <= 1 ORDER BY not_before LIMIT 9
      """
    ),
    (
      "job_due (by_clock=? AND not_before>?)",
      """
      SELECT not_before FROM job INDEXED BY job_due WHERE state = 0 AND by_clock = 1 AND not_before IS NOT NULL
      ORDER BY not_before LIMIT 1
      """
    ),
    (
      "job_start_by (start_by>? AND start_by<?)",
      """
      SELECT id FROM job INDEXED BY job_start_by WHERE state < 2 AND start_by IS NOT NULL AND by_clock = 0
        AND start_by <= 1 AND (start_by, number) > (0, 3)
      ORDER BY start_by, number LIMIT 9
      """
    ),
    (
      "dependency_on (on_id=?)",
      """
      SELECT * FROM dependency JOIN job ON job.number = dependency.job WHERE on_id = x'00'
      ORDER BY dependency.job LIMIT 9
      """
    ),
    ("PRIMARY KEY (job=?)", "SELECT on_id FROM dependency WHERE job = 1 ORDER BY on_id LIMIT 9"),
    ("dependency_unknown (since<?)", "SELECT * FROM dependency WHERE known = 0 AND since <= 1 ORDER BY since LIMIT 9"),
    ("key_look (look_at<?)", "SELECT kind FROM key WHERE look_at <= 1 ORDER BY look_at LIMIT 9"),
    ("key_command_at (at<?)", "SELECT id FROM key_command WHERE at < 9 ORDER BY at LIMIT 9"),
    ("subscriber_seen (seen_at<?)", "SELECT name FROM subscriber WHERE seen_at < 9"),
    ("subscriber USING PRIMARY KEY (name>?)", SubscriberRow.list.replacing("?", with: "4")),
    ("plan_command_at (at<?)", "SELECT id FROM plan_command WHERE at < 9 ORDER BY at LIMIT 9"),
    ("sqlite_autoindex_operation_1 (command=?)", "SELECT * FROM operation WHERE command = x'00'"),
    ("job_due (by_clock=? AND not_before>?)", LedgerQueries.nextRetriesText.replacing("?", with: "9")),
    ("operation_finished (finished_at=?)", "SELECT * FROM operation WHERE finished_at IS NULL ORDER BY id LIMIT 9"),
  ]

  @Test("each question of holds, dependencies, keys and operations is answered from its index", arguments: newUses)
  func operations(index: String, sql: String) async throws {
    try await plan(index: index, sql: sql)
  }

  static let counts: [(index: String, sql: String)] = [
    ("job_ready", LedgerTransaction.readyCounts),
    ("job_ready (department=? AND priority=?)", HotStatement.readyJobs.sql.replacing("?", with: "4")),
    (
      "job_state (state=?)",
      "SELECT department, 0, count(*) FROM \(Shelf.held.source) WHERE state = 0 GROUP BY department"
    ),
    (
      "job_state (state=? AND department=?",
      "SELECT count(*) FROM \(Shelf.held.source) WHERE state = 0 AND department = 'a'"
    ),
    ("job_state (state=?", "SELECT count(*) FROM \(Shelf.held.source) WHERE state = 0"),
    (
      "job_state (state=? AND department=? AND kind=?)",
      "SELECT count(*) FROM \(Shelf.held.source) WHERE state = 0 AND department = 'a' AND kind = 'k'"
    ),
    ("job_unsettled", "SELECT count(*) FROM \(Shelf.unsettled.source) WHERE \(Shelf.unsettled.condition)"),
    (
      "job_unsettled (department=? AND kind=?)",
      """
      SELECT count(*) FROM \(Shelf.unsettled.source)
      WHERE \(Shelf.unsettled.condition) AND department = 'a' AND kind = 'k'
      """
    ),
    ("job_unsettled", LedgerTransaction.unsettledJobs),
    ("plan_open (department=?)", LedgerTransaction.openPlans + " AND department = 'a'"),
    (
      "job_dependent",
      """
      SELECT department, 0, count(*) FROM job INDEXED BY job_dependent WHERE state = 0 AND open_dependencies > 0
      GROUP BY department
      """
    ),
  ]

  @Test("what is counted at the start, or for an operation, is counted in the index alone", arguments: counts)
  func counting(index: String, sql: String) async throws {
    try await plan(index: index, sql: sql)
    #expect(try await !readsRows(sql))
  }

  @Test("how many jobs wait for a time, and how many of them for an attempt, is counted without a row")
  func counting() async throws { #expect(try await !readsRows(LedgerTransaction.dueJobCounts)) }

  @Test("a statement that needs more than its index has does read rows")
  func readingRows() async throws {
    #expect(try await readsRows("SELECT count(*) FROM \(Shelf.held.source) WHERE state = 0 AND priority = 4"))
  }

  static let shelves: [Shelf] = Shelf.all + [.unsettled]

  @Test(
    "a group's jobs are found on its shelf by their numbers alone, from either end",
    arguments: shelves, [true, false])
  func groups(shelf: Shelf, isNewestFirst: Bool) async throws {
    let group = Shelf.Group(department: "a", kind: "k")
    let stretch = Stretch(after: 5, before: 90, isNewestFirst: isNewestFirst)
    let search = ShelfSearch(shelf, group, stretch, limit: 9)
    let plan = try await explain(search.sql, values: search.values)
    #expect(plan == expectedSearch(shelf, "department=? AND kind=? AND rowid>? AND rowid<?"))
    #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    #expect(try await !readsRows(search.sql, values: search.values))
  }

  @Test("the departments of a shelf and their kinds are found by leaps", arguments: shelves)
  func leaps(shelf: Shelf) async throws {
    let departments = shelf.nextDepartment
    #expect(try await explain(departments, values: ["a".value]) == expectedSearch(shelf, "department>?"))
    #expect(try await !readsRows(departments, values: ["a".value]))
    let (kinds, values) = (shelf.nextKind, ["a".value, "k".value])
    #expect(try await explain(kinds, values: values) == expectedSearch(shelf, "department=? AND kind>?"))
    #expect(try await !readsRows(kinds, values: values))
  }

  /// How the plan names a search on a shelf: of an index with a condition it does not say that it is covering.
  private func expectedSearch(_ shelf: Shelf, _ columns: String) -> String {
    shelf.index == "job_state"
      ? "SEARCH job USING COVERING INDEX job_state (state=? AND \(columns))"
      : "SEARCH job USING INDEX \(shelf.index) (\(columns))"
  }

  @Test("a step of retention goes by the notifications' numbers, and looks up the rest")
  func retention() async throws {
    let plan = try await explain(LedgerTransaction.readNotifications, values: [0.value, 9.value])
    #expect(plan.contains("SEARCH notification USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"), "\(plan)")
    #expect(plan.contains("SEARCH job USING INDEX sqlite_autoindex_job_1 (id=?)"), "\(plan)")
    #expect(plan.contains("dependency_on (on_id=?)"), "\(plan)")
    #expect(!plan.contains("SCAN dependency") && !plan.contains("SCAN plan") && !plan.contains("TEMP"), "\(plan)")
  }

  @Test("at the start, no row of a held job is read of an ordered department all of whose jobs have their places")
  func givingOrder() async throws {
    let asked = try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        for position in 0..<20 {
          _ = try transaction.acceptNew(.held(order: OrderPlace(plan: 1, rank: 1, position: position)))
        }
        let database = transaction.statements.database
        var asked: [String] = []
        database.trace { asked.append($0.expandedDescription) }
        defer { database.trace(options: []) }
        try transaction.giveOrder(in: "deposits")
        return asked
      }
    }
    #expect(!asked.isEmpty)
    for sql in asked { #expect(try await !readsRows(sql), "\(sql)") }
  }

  /// Whether a statement looks at rows of the table `job` itself. The plan does not say so of a partial index: it calls
  /// it covering only if the column of its condition is in it too, though nobody reads that.
  private func readsRows(_ sql: String, values: [StoredValue] = []) async throws -> Bool {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        let root = try transaction.statements.first("SELECT rootpage FROM sqlite_master WHERE name = 'job'") {
          try $0[0] as Int64
        }
        let steps = try transaction.statements["EXPLAIN " + sql].all({ $0.add(values) }) {
          (name: try $0[1] as String, first: try $0[2] as Int64, second: try $0[3] as Int64)
        }
        let cursors = steps.filter { ["OpenRead", "OpenWrite"].contains($0.name) && $0.second == root }.map(\.first)
        return steps.contains { ["Column", "Rowid", "FinishSeek"].contains($0.name) && cursors.contains($0.first) }
      }
    }
  }

  private func explain(_ sql: String, values: [StoredValue]) async throws -> String {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        try transaction.statements["EXPLAIN QUERY PLAN " + sql].all({ $0.add(values) }) { try $0[3] as String }
          .joined(separator: "\n")
      }
    }
  }
}
