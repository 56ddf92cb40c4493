import JobModel
import Ledger
import Testing

@Suite("filling the window")
struct FillingTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  @Test("held jobs leave by their standing, and those of one moment as they were accepted")
  func standing() async throws {
    try await temporary.with { ledger async throws in
      let times: [Int64] = [30, 10, 20, 10, 0]
      let numbers = try ledger.write { transaction in
        try times.map { try transaction.acceptNew(.held(at: $0)) }
      }
      let held = try ledger.write { try $0.held(in: "deposits", priority: .normal, limit: 10) }
      #expect(held.map(\.job.number) == [4, 1, 3, 2, 0].map { numbers[$0] })
      #expect(held.map(\.standing) == held.map { Standing(readyAt: $0.job.acceptedAt, priority: $0.job.priority) })
      let first = try ledger.write { try $0.held(in: "deposits", priority: .normal, limit: 2) }
      #expect(first == Array(held.prefix(2)))
    }
  }

  @Test("only held jobs of that department and priority are offered")
  func filter() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        _ = try transaction.acceptNew(.held(in: "loans"))
        _ = try transaction.acceptNew(.held(priority: 9))
        _ = try transaction.acceptNew(.queued())
      }
      #expect(try ledger.write { try $0.held(in: "deposits", priority: .normal, limit: 10) } == [])
      #expect(try ledger.write { try $0.held(in: "deposits", priority: 9, limit: 10) }.count == 1)
      let counts = try ledger.write { try $0.heldCounts() }
      #expect(counts == ["loans": [0, 0, 0, 0, 1, 0, 0, 0, 0, 0], "deposits": [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]])
    }
  }

  @Test("a released job is held no more, and a retried one is held again")
  func release() async throws {
    try await temporary.with { ledger async throws in
      let number = try ledger.write { try $0.acceptNew(.held()) }
      var progress = JobProgress(maxAttempts: 3)
      _ = progress.apply(.lifted)
      try ledger.write { try $0.save(progress, of: number, releasedAt: .test(1)) }
      #expect(try ledger.write { try $0.heldCounts() } == [:])
      let failure = JobFailure(code: "timeout", message: "")
      _ = progress.apply(.reported(token: progress.token, .failed(failure, isPermanent: false)))
      try ledger.write { try $0.save(progress, of: number, releasedAt: nil) }
      let held = try ledger.write { try $0.held(in: "deposits", priority: .normal, limit: 1) }
      #expect(held.first?.job.progress == progress)
      #expect(held.first?.job.releasedAt == .test(1))
    }
  }

  @Test("an ordered department is served by plan, rank and position, whatever the order of acceptance and priority")
  func order() async throws {
    let places = [(9, 1, 1), (2, 5, 1), (2, 1, 2), (2, 1, 1), (9, 1, 0)]
    try await temporary.with { ledger async throws in
      let numbers = try ledger.write { transaction in
        try places.map { plan, rank, position in
          let place = OrderPlace(plan: Int64(plan), rank: rank, position: position)
          return try transaction.acceptNew(.held(priority: Priority(rank) ?? .normal, order: place))
        }
      }
      var served: [Int64] = []
      while let next = try ledger.write({ try $0.firstReadyInOrder(of: "deposits") }) {
        served.append(next.job.number)
        try ledger.write { transaction in
          var progress = next.job.progress
          _ = progress.apply(.lifted)
          try transaction.save(progress, of: next.job.number, releasedAt: .test(1))
        }
        guard served.count <= places.count else { break }
      }
      #expect(served == [3, 2, 1, 4, 0].map { numbers[$0] })
    }
  }

  @Test("a job without a plan follows every plan accepted before it, and goes before every later one")
  func withoutPlan() async throws {
    try await temporary.with { ledger async throws in
      let keys = try ledger.write { transaction in
        let early = try transaction.acceptNew(PlanSubmission(id: JobID(), department: "start", steps: []))
        let place = OrderPlace(plan: nil, rank: 1, position: 0)
        let number = try transaction.acceptNew(.held(in: "start", order: place))
        let late = try transaction.acceptNew(PlanSubmission(id: JobID(), department: "start", steps: []))
        let order = try #require(try transaction.job(number: number)?.order)
        return (early: early, number: number, late: late, order: order)
      }
      #expect(keys.order == OrderKey(plan: keys.number, rank: 1, position: 0))
      #expect(OrderKey(plan: keys.early, rank: 99, position: 9) < keys.order)
      #expect(keys.order < OrderKey(plan: keys.late, rank: 1, position: 0))
    }
  }

  @Test("an unordered job is never offered as the next in order")
  func unordered() async throws {
    try await temporary.with { ledger async throws in
      _ = try ledger.write { try $0.acceptNew(.held()) }
      #expect(try ledger.write { try $0.firstReadyInOrder(of: "deposits") } == nil)
    }
  }
}
