import JobModel
import Testing

@testable import Ledger

@Suite("reports")
struct ReportTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func rows(
    _ ledger: Ledger, since: Timestamp? = nil, plan: JobID? = nil, department: Department? = nil, limit: Int = 99
  ) async throws -> (rows: [ReportRow], isComplete: Bool) {
    try await ledger.read { queries in
      var rows: [ReportRow] = []
      let isComplete = try queries.reportRows(since: since, plan: plan, department: department, limit: limit) {
        rows.append($0)
      }
      return (rows, isComplete)
    }
  }

  @Test("what ended since a time is told, the last first, of one department or of all, up to a limit")
  func since() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        for (index, department) in ["a", "b", "a"].enumerated() {
          let number = try transaction.acceptNew(.queued(in: Department(department) ?? "x", at: Int64(index)))
          try transaction.end(
            number, index == 1 ? .failed(.lost()) : .succeeded(result: [], contentType: nil),
            at: 100 + Int64(index))
        }
        _ = try transaction.acceptNew(.queued(in: "a"))
      }
      let all = try await rows(ledger, since: .test(101))
      #expect(all.isComplete)
      let newest = ReportRow(
        department: "a", state: .succeeded, attempt: 1, acceptedAt: .test(2), startedAt: .test(82),
        finishedAt: .test(102), ran: .milliseconds(15))
      #expect(all.rows.first == newest)
      #expect(all.rows.map(\.state) == [.succeeded, .failed])
      #expect(try await rows(ledger, department: "a").rows.map(\.finishedAt) == [.test(102), .test(100)])
      let cut = try await rows(ledger, limit: 2)
      #expect(cut.rows.count == 2)
      #expect(!cut.isComplete)
      #expect(try await rows(ledger, limit: 3).isComplete)
    }
  }

  @Test("the ended steps of a plan are told, and no others")
  func plan() async throws {
    try await temporary.with { ledger async throws in
      let plan = JobID()
      try ledger.write { transaction throws in
        try transaction.end(try transaction.acceptNew(.queued(plan: plan)), at: 5)
        try transaction.end(try transaction.acceptNew(.queued(plan: plan)), at: 9)
        _ = try transaction.acceptNew(.queued(plan: plan))
        try transaction.end(try transaction.acceptNew(.queued()), at: 9)
      }
      let told = try await rows(ledger, plan: plan)
      #expect(told.rows.map(\.finishedAt) == [.test(9), .test(5)])
      #expect(told.isComplete)
    }
  }
}
