import GRDB
import JobModel
import Testing

@testable import Ledger

@Suite("what a job of normal life costs")
struct CostTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  @Test("one statement to accept it, one to confirm its release, one to record its outcome, one to tell it")
  func statements() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        // What each transaction asks for once.
        _ = try transaction.nextNumber()
        try transaction.end(try transaction.acceptNew(.queued()))
        let accepting = try count(transaction) { _ = try transaction.accept(.queued()) }
        #expect(accepting == 1)
        let job = try accepted(.queued(), transaction)
        let confirming = try count(transaction) { try transaction.markConfirmed([(number: job.number, release: 1)]) }
        #expect(confirming == 1)
        let ending = try count(transaction) { try transaction.end(job.number, of: job.identity) }
        #expect(ending == 2)
      }
    }
  }

  private func accepted(
    _ job: NewJob, _ transaction: LedgerTransaction
  ) throws -> (number: Int64, identity: JobIdentity) {
    (try transaction.acceptNew(job), job.identity)
  }

  private func count(_ transaction: LedgerTransaction, _ body: () throws -> Void) throws -> Int {
    let database = transaction.statements.database
    var statements = 0
    database.trace { _ in statements += 1 }
    defer { database.trace(options: []) }
    try body()
    return statements
  }

  @Test("it is in no index but its table's, its id's, that of the states")
  func indexes() async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.queued()) }
      let indexes = try ledger.write { transaction in
        try transaction.statements.all(
          "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'job' AND sql IS NOT NULL"
        ) { (name: try $0[0] as String, sql: try $0[1] as String) }
      }
      #expect(indexes.count >= 9)
      func having() throws -> [String] {
        try indexes.filter { $0.name != "job_state" }.filter { index in
          let parts = index.sql.split(separator: "WHERE ")
          let condition = try #require(parts.count == 2 ? parts[1] : nil, "\(index.name) is not partial")
          let holds = "SELECT ifnull(\(condition), 0) FROM job WHERE number = \(number)"
          return try ledger.write { try $0.statements.first(holds) { try $0[0] as Int } } == 1
        }.map(\.name)
      }
      #expect(try having() == [])
      try ledger.write { try $0.end(number) }
      #expect(try having() == [])
    }
  }
}
