import JobModel
import Testing

@testable import Ledger

@Suite("workers")
struct WorkerTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func worker(_ id: String) -> WorkerRecord {
    WorkerRecord(id: WorkerID(id), name: "host/\(id)", tellers: ["loans": 1], session: 4)
  }

  @Test("one that was given up is not waited for, and is told again what it was told when it comes back")
  func givenUp() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        var worker = worker("a")
        #expect(try transaction.welcome(worker) == [:])
        try transaction.setWanted(worker.id, ["loans": 7])
        try transaction.giveUp(worker.id, at: .test(1))
        #expect(try transaction.welcomedWorkers() == [])
        worker.session = 5
        #expect(try transaction.welcome(worker) == ["loans": 7])
        worker.wanted = ["loans": 7]
        #expect(try transaction.welcomedWorkers() == [worker])
        try transaction.forget(worker.id)
        worker.wanted = [:]
        #expect(try transaction.welcome(worker) == [:])
      }
    }
  }

  @Test("one that is ordered to drain stays so, also when it was given up and comes back, until it says goodbye")
  func drain() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        var worker = worker("a")
        #expect(try !transaction.drain(of: worker.id).isOrdered)
        try transaction.welcome(worker)
        #expect(try !transaction.drain(of: worker.id).isOrdered)
        try transaction.orderDrain(of: worker.id)
        worker.isToDrain = true
        #expect(try transaction.welcomedWorkers() == [worker])
        try transaction.giveUp(worker.id, at: .test(1))
        #expect(try transaction.drain(of: worker.id).isOrdered)
        try transaction.welcome(worker)
        #expect(try transaction.welcomedWorkers() == [worker])
        try transaction.forget(worker.id)
        try transaction.welcome(worker)
        #expect(try !transaction.drain(of: worker.id).isOrdered)
      }
    }
  }

  @Test("belongs to whoever announced it first, also when it was given up, until it says goodbye")
  func owner() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        var worker = worker("a")
        #expect(try transaction.owner(of: worker.id) == nil)
        try transaction.welcome(worker)
        #expect(try transaction.owner(of: worker.id) == nil)
        worker.owner = "first"
        try transaction.welcome(worker)
        worker.owner = "second"
        try transaction.welcome(worker)
        #expect(try transaction.welcomedWorkers().map(\.owner) == ["first"])
        try transaction.setWanted(worker.id, ["loans": 7])
        try transaction.giveUp(worker.id, at: .test(1))
        #expect(try transaction.owner(of: worker.id) == "first")
        try transaction.forget(worker.id)
        worker.owner = ""
        try transaction.welcome(worker)
        #expect(try transaction.owner(of: worker.id) == "")
      }
    }
  }

  @Test("of those that were given up the latest are remembered, whatever they were told")
  func bounded() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        let limit = LedgerTransaction.departedLimit
        for number in 0..<(limit + 10) {
          let worker = worker("w\(number)")
          try transaction.welcome(worker)
          if number.isMultiple(of: 2) { try transaction.setWanted(worker.id, ["loans": 2]) }
          try transaction.giveUp(worker.id, at: .test(Int64(number)))
        }
        let count = try transaction.statements.first("SELECT count(*) FROM worker") { try $0[0] as Int }
        #expect(count == limit)
        #expect(try transaction.welcome(worker("w4")) == [:])
        #expect(try transaction.welcome(worker("w11")) == [:])
        #expect(try transaction.welcome(worker("w\(limit + 8)")) == ["loans": 2])
      }
    }
  }
}
