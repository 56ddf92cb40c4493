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
      SELECT * FROM job WHERE state = 0 AND order_plan IS NOT NULL AND department = 'a'
      ORDER BY order_plan, order_rank, order_position, number LIMIT 1
      """
    ),
    ("job_queued", "SELECT department, count(*) FROM job WHERE state = 1 GROUP BY department"),
    ("job_failed", "SELECT number FROM job WHERE state = 3 AND department = 'a' ORDER BY number DESC LIMIT 9"),
    ("job_cancelled", "SELECT number FROM job WHERE state = 4 AND department = 'a' ORDER BY number DESC LIMIT 9"),
    ("job_department (department=?)", "SELECT number FROM job WHERE department = 'a' ORDER BY number DESC LIMIT 9"),
    ("job_plan (plan=?)", "SELECT * FROM job WHERE plan = x'00'"),
    ("plan_open (department=?)", "SELECT number FROM plan WHERE state IS NULL AND department = 'a' ORDER BY number"),
    ("(id=?)", "SELECT * FROM job WHERE id = x'00'"),
  ]

  @Test("each frequent question is answered from its index, without sorting", arguments: uses)
  func plan(index: String, sql: String) async throws {
    try await temporary.with { ledger async throws in
      let plan = try ledger.write { transaction in
        try transaction.statements.all("EXPLAIN QUERY PLAN " + sql) { try $0.string(3) }.joined(separator: "\n")
      }
      #expect(plan.contains(index), "\(plan)")
      #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
    }
  }
}
