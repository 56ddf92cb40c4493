import JobModel
import Ledger
import Testing

@Suite("restart")
struct RestartTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  @Test("a ledger that is opened again has everything, and goes on counting")
  func reopen() async throws {
    let (held, queued, ended) = (NewJob.held(payload: [1]), NewJob.queued(), NewJob.queued())
    let new = PlanSubmission(id: JobID(), department: "start", steps: [])
    let worker = WorkerRecord(id: WorkerID("a"), name: "host/1", tellers: ["loans": 1], session: 4)
    let id = try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        _ = try transaction.acceptNew(held)
        let number = try transaction.acceptNew(queued)
        try transaction.markConfirmed([(number: number, release: 1)])
        try transaction.end(try transaction.acceptNew(ended))
        _ = try transaction.acceptNew(new)
        try transaction.welcome(worker)
        try transaction.markSent(upTo: 1)
        #expect(try transaction.nextIncarnation() == 1)
      }
      return ledger.id
    }
    try await temporary.with { ledger async throws in
      #expect(ledger.id == id)
      #expect(ledger.epoch == 1)
      try ledger.write { transaction throws in
        #expect(try transaction.nextIncarnation() == 2)
        #expect(try transaction.released().map(\.job.id) == [queued.id])
        #expect(try transaction.released().map(\.isConfirmed) == [true])
        #expect(try transaction.held(in: "deposits", priority: .normal, limit: 9).map(\.content.payload) == [[1]])
        #expect(try transaction.counts() == ["deposits": [.held: 1, .queued: 1, .succeeded: 1]])
        #expect(try transaction.welcomedWorkers() == [worker])
        #expect(try transaction.openPlanNumber(in: "start") == 4)
        #expect(try transaction.unsent(limit: 9) == [])
        #expect(try transaction.acceptNew(.queued()) == 5)
        #expect(try transaction.end(2).seq == 2)
      }
    }
  }

  @Test("two ledgers never have the same id")
  func identity() async throws {
    let other = try TemporaryLedger()
    let first = try await temporary.with { $0.id }
    let second = try await other.with { $0.id }
    #expect(first != second)
  }

  @Test("a read sees the last transaction before it, and never half of one")
  func snapshots() async throws {
    try await temporary.with { ledger async throws in
      let ids = (0..<50).map { _ in JobID() }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for pair in stride(from: 0, to: ids.count, by: 2) {
            try ledger.write { transaction throws in
              _ = try transaction.acceptNew(.queued(ids[pair]))
              _ = try transaction.acceptNew(.queued(ids[pair + 1]))
            }
          }
        }
        for _ in 0..<50 {
          let seen = try await ledger.read { try $0.jobs(JobFilter()) }.jobs
          #expect(seen.count.isMultiple(of: 2))
        }
        try await group.waitForAll()
      }
      #expect(try await ledger.read { queries in try ids.count { try queries.job($0) != nil } } == ids.count)
    }
  }

  @Test("a ledger that was closed refuses, and can be closed again")
  func closed() async throws {
    let ledger = try temporary.open()
    try ledger.close()
    try ledger.close()
    #expect(throws: LedgerError.self) { try ledger.write { try $0.counts() } }
    await #expect(throws: LedgerError.self) { try await ledger.read { try $0.job(JobID()) } }
  }
}
