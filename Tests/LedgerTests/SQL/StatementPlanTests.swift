import GRDB
import GRDBSQLite
import LedgerSupport
import Testing

@testable import Ledger

/// What a statement costs must not grow with what the ledger has of other things: of jobs that have ended or wait elsewhere,
/// of their notifications, of events, actions and operations.
@Suite("how statements find their rows")
struct StatementPlanTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  /// Those that grow with the jobs, or with what operators do. All others have a limit.
  private static let growing: Set = [
    "job", "payload", "attempt", "notification", "dependency", "key", "key_command", "key_reset", "removed",
    "duplicate", "plan",
    "plan_command", "event", "operation", "action", "rule_job",
  ]

  /// What may go through all rows, by its first words, and why.
  private static let mayScan: [(text: String, reason: String)] = [
    ("SELECT EXISTS (SELECT 1 FROM plan) OR EXISTS (SELECT 1 FROM event)", "it ends at the first row"),
    ("SELECT on_id FROM dependency INDEXED BY dependency_on", "at the start: only what is open is there"),
    ("SELECT number FROM job ORDER BY number LIMIT 1", "the first row alone"),
    ("SELECT number FROM job ORDER BY number DESC LIMIT 1", "the last row alone"),
    ("SELECT count(*) FROM plan INDEXED BY plan_open WHERE state IS NULL", "the open plans, counted in their index"),
    ("SELECT kind, text, job, iif(number >", "a part: the pages of keys have a condition and a limit"),
    ("SELECT department, sum(attempt = 1), sum(attempt > 1)", "at the start: counted in an index"),
    ("SELECT state, count(*) FROM job GROUP BY state", "`teller ledger check` alone"),
  ]

  /// What may go from row to row by the numbers, and why.
  private static let mayWalk: [(text: String, reason: String)] = [
    ("DELETE FROM action WHERE number <= ", "each row goes"), ("DELETE FROM removed WHERE number <= ", "each row goes"),
    ("DELETE FROM duplicate WHERE number <= ", "each row goes"),
    ("SELECT number FROM event WHERE number < ? ORDER BY number DESC LIMIT ?", "each row is on the page"),
    ("SELECT number, accepted_at FROM job WHERE number >= ? AND number < ?", "the first row alone"),
    ("SELECT number FROM job WHERE number > ? AND number < ? ORDER BY number DESC LIMIT ?", "each row is on the page"),
    ("SELECT number, department FROM plan WHERE number < ? ORDER BY number DESC LIMIT ?", "so many are looked at"),
    ("SELECT notification.number, moment, job.number", "so many are looked at"),
    ("SELECT number, body FROM notification WHERE number >= ?", "what the stream lacks"),
    ("SELECT number, epoch, moment, event, subject, body FROM notification", "each row is on the page"),
  ]

  /// What may count or group rows of a table that grows, and why.
  private static let mayCount: [(text: String, reason: String)] = [
    (
      "SELECT count(*), ifnull(sum(length(payload)), 0) FROM event INDEXED BY event_plan",
      "as many as may wait for a plan"
    ),
    ("SELECT count(*) FROM event INDEXED BY event_plan", "the same, for a question"),
    ("SELECT count(*), ifnull(sum(ifnull(length(payload), (SELECT", "as many as may wait in a run"),
    ("SELECT ifnull(sum(snoozes), 0), ifnull(sum(losses), 0)", "the attempts of one job"),
    ("SELECT (SELECT count(*) FROM … WHERE … AND department = ?) -", "when a department becomes an ordered one"),
    ("SELECT department, priority, count(*) FROM job INDEXED BY job_ready", "at the start"),
    ("SELECT department, sum(attempt = 1), sum(attempt > 1)", "at the start"),
    ("SELECT department, count(*) FROM job INDEXED BY job_withheld", "at the start"),
    ("SELECT department, count(*) FROM … WHERE … GROUP BY department", "at the start"),
    ("SELECT department, 0, count(*) FROM … WHERE", "at the start"),
    ("SELECT department, count(*) FROM job INDEXED BY job_due WHERE", "at the start, and for a question"),
    ("SELECT kind, count(*) FROM job INDEXED BY job_withheld", "for a question: in one index"),
    ("SELECT count(*) FROM … WHERE …", "for a question: in one index"),
    ("SELECT count(*) FROM plan INDEXED BY plan_open WHERE state IS NULL", "for a question: in one index"),
    ("SELECT count(*) FROM job INDEXED BY job_plan WHERE plan = ?", "for a question: the jobs of one plan"),
    (
      "SELECT id, department, state, accepted_at, finished_at, (SELECT count(*)",
      "for a question: the steps of one plan"
    ),
    ("SELECT state, count(*) FROM job GROUP BY state", "`teller ledger check` alone"),
  ]

  /// The steps of a statement's plan; nil: the text is a part of one, and SQLite does not take it.
  private static func plan(_ text: SQLText, _ database: Database) -> [String]? {
    var statement: OpaquePointer?
    // What is filled in are mostly columns.
    let sql = "EXPLAIN QUERY PLAN " + text.fragments.joined(separator: "1")
    guard sqlite3_prepare_v2(database.sqliteConnection, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
    defer { sqlite3_finalize(statement) }
    var steps: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      if let step = sqlite3_column_text(statement, 3) { steps.append(String(cString: step)) }
    }
    return steps
  }

  private func plans() async throws -> [(text: String, steps: [String])] {
    let texts = try SQLText.all().filter(\.isStatement)
    return try await temporary.with { ledger async throws in Self.plans(of: texts, ledger) }
  }

  private static func plans(of texts: [SQLText], _ ledger: Ledger) -> [(text: String, steps: [String])] {
    ledger.pool.writeWithoutTransaction { database in
      texts.compactMap { text in plan(text, database).map { (text: text.text, steps: $0) } }
    }
  }

  @Test("of every text of SQL that is whole: none goes through all rows of a table that grows")
  func scans() async throws {
    let plans = try await plans()
    // The others are composed, of shelves or of columns: the tests of the indexes look at them.
    let count = try SQLText.all().filter(\.isStatement).count
    #expect(plans.count > 200 && count - plans.count <= 26, "\(count - plans.count) of \(count) are parts")
    let scans = plans.filter { $0.steps.contains { Self.table(in: $0, #/SCAN (\w+)/#) } }.map(\.text)
    Self.expect(scans, Self.mayScan)
  }

  @Test("and none goes from row to row by the numbers, past those that it does not want")
  func walks() async throws {
    let walks = try await plans().filter { plan in
      plan.steps.contains { Self.table(in: $0, #/SEARCH (\w+) USING INTEGER PRIMARY KEY \(rowid[<>]/#) }
    }.map(\.text)
    Self.expect(walks, Self.mayWalk)
  }

  /// SQLite says of such a one that it searches an index, and goes through all rows that the index has of it.
  @Test("and none counts or groups rows of a table that grows, in a turn where something waits for it")
  func counts() throws {
    Self.expect(try SQLText.all().map(\.text).filter(Self.countsRows), Self.mayCount)
  }

  @Test(
    "a text that counts or groups is noticed",
    arguments: [
      "SELECT DISTINCT kind FROM job INDEXED BY job_withheld WHERE state = 0 AND withheld = ? AND department = ?",
      "SELECT kind FROM job INDEXED BY job_withheld WHERE withheld = ? GROUP BY kind ORDER BY kind LIMIT ?",
      "SELECT count(*) FROM event WHERE plan = ?", "SELECT count(DISTINCT kind) FROM …",
      "SELECT ifnull(sum(length(payload)), 0) FROM notification WHERE number > ?",
    ])
  func noticed(text: String) { #expect(Self.countsRows(text)) }

  @Test(
    "a text that takes the first of many, or counts what has a limit, is none",
    arguments: [
      "SELECT kind FROM job INDEXED BY job_withheld WHERE withheld = ? AND kind > ? ORDER BY kind LIMIT 1",
      "SELECT max(number) FROM key_reset WHERE kind = ?", "SELECT count(*) FROM subscriber",
    ])
  func fine(text: String) { #expect(!Self.countsRows(text)) }

  /// Whether a text counts or groups rows of a table that grows, or of one that is filled in.
  private static func countsRows(_ text: String) -> Bool {
    guard text.contains(#/[ (](?:DISTINCT |GROUP BY |(?:count|sum|total|avg|group_concat)\()/#) else { return false }
    return text.matches(of: #/FROM (\w+|…)/#).contains { $0.1 == SQLText.hole || growing.contains(String($0.1)) }
  }

  /// Whether a step is of that sort, at a table that grows.
  private static func table(in step: String, _ sort: Regex<(Substring, Substring)>) -> Bool {
    step.prefixMatch(of: sort).map { growing.contains(String($0.1)) } ?? false
  }

  private static func expect(_ texts: [String], _ known: [(text: String, reason: String)]) {
    #expect(texts.filter { text in !known.contains { text.hasPrefix($0.text) } } == [])
    for one in known { #expect(texts.contains { $0.hasPrefix(one.text) }, "not any more: \(one.text)") }
  }
}
