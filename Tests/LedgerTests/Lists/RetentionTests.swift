import JobModel
import Testing

@testable import Ledger

@Suite("retention")
struct RetentionTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  @Test("what ended before and is in the stream is removed, oldest first, with all that belongs to it")
  func remove() async throws {
    try await temporary.with { ledger async throws in
      let numbers = try ledger.write { transaction throws in
        try (0..<5).map { index in
          let number = try transaction.acceptNew(.queued(payload: Array(repeating: 1, count: 5_000)))
          let attempt = AttemptRecord(
            number: 1, worker: nil, startedAt: nil, endedAt: .test(1), end: .failed, failure: nil)
          try transaction.record(attempt, of: number)
          try transaction.end(number, at: Int64(index) * 10)
          return number
        }
      }
      try ledger.write { try $0.markSent(upTo: 4) }
      #expect(try ledger.write { try $0.remove(endedBefore: .test(100), limit: 2).removed } == 2)
      #expect(try ledger.write { try $0.remove(endedBefore: .test(30), limit: 9).removed } == 1)
      #expect(try ledger.write { try $0.remove(endedBefore: .test(30), limit: 9).removed } == 0)
      #expect(try await ledger.read { try $0.jobs(JobFilter()) }.jobs.map(\.number) == [numbers[4], numbers[3]])
      #expect(try ledger.write { try $0.remove(endedBefore: .test(100), limit: 9).removed } == 1)
      #expect(try ledger.write { try $0.unsent(limit: 9) }.map(\.seq) == [5], "what is not sent stays")
      for table in ["payload", "attempt", "notification"] {
        let rows = try ledger.write { try $0.statements.first("SELECT count(*) FROM \(table)") { try $0[0] as Int } }
        #expect(rows == 1, "\(table)")
      }
      #expect(try ledger.write { try $0.counts() } == ["deposits": [.succeeded: 5]])
    }
  }

  @Test("how jobs and plans ended that were removed is remembered, of the last ones")
  func removedStates() async throws {
    try await temporary.with { ledger async throws in
      let plan = PlanSubmission(id: JobID(), department: "deposits", steps: [])
      let outcomes: [Outcome] = [
        .succeeded(result: [], contentType: nil), .failed(.tooLate()), .cancelled(.cancelled(by: "ada")),
      ]
      let ids = try ledger.write { transaction throws in
        try outcomes.map { outcome in
          let job = NewJob.queued()
          try transaction.end(try transaction.acceptNew(job), outcome, at: 10)
          return job.id
        }
      }
      try ledger.write { transaction throws in
        _ = try transaction.acceptNew(plan)
        try transaction.finishPlan(plan.id, .failed(.tooLate()), at: .test(10))
        try transaction.markSent(upTo: 3)
        _ = try transaction.remove(endedBefore: .test(100), limit: 9)
      }
      let states = { try (ids + [plan.id]).map { id in try ledger.write { try $0.removedState(of: id) } } }
      #expect(try states() == [.succeeded, .failed, .cancelled, .failed])
      #expect(try ledger.write { try $0.removedState(of: JobID()) } == nil)
      try ledger.write { try $0.forgetRemoved(beyond: 2) }
      #expect(try states() == [nil, nil, .cancelled, .failed])
    }
  }

  @Test("numbers are not given again after everything was removed")
  func numbers() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        for _ in 0..<3 { try transaction.end(try transaction.acceptNew(.queued())) }
        try transaction.markSent(upTo: 3)
      }
      #expect(try ledger.write { try $0.remove(endedBefore: .test(1_000), limit: 9).removed } == 3)
    }
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        #expect(try transaction.acceptNew(.queued()) == 4)
        #expect(try transaction.end(4).seq == 4)
      }
    }
  }

  @Test("what has not ended is never removed, nor a step of an open plan; a plan goes with its last step")
  func openPlan() async throws {
    try await temporary.with { ledger async throws in
      let plan = PlanSubmission(id: JobID(), department: "deposits", steps: [])
      try ledger.write { transaction throws in
        _ = try transaction.acceptNew(plan)
        try transaction.end(try transaction.acceptNew(.queued(plan: plan.id)))
        _ = try transaction.acceptNew(.queued())
        _ = try transaction.acceptNew(.held())
        try transaction.markSent(upTo: 1)
      }
      #expect(try ledger.write { try $0.remove(endedBefore: .test(1_000), limit: 9).removed } == 0)
      try ledger.write { transaction throws in
        try transaction.finishPlan(plan.id, .succeeded(result: [], contentType: nil), at: .test(200))
      }
      #expect(try ledger.write { try $0.remove(endedBefore: .test(1_000), limit: 9).removed } == 1)
      #expect(try ledger.write { try $0.plan(plan.id) } == nil)
      #expect(try ledger.write { try $0.counts() } == ["deposits": [.held: 1, .queued: 1, .succeeded: 1]])
    }
  }

  @Test("the last runs of names that stay keep no other plan from going")
  func lastRuns() async throws {
    try await temporary.with { ledger async throws in
      let plans = (0..<4).map { number in
        PlanSubmission(
          id: JobID(),
          definition: PlanDefinition(
            name: number < 3 ? PlanName("plan-\(number)") : nil, department: "start", steps: [],
            events: [PlanEvent("push", rank: 1, kind: "push")]))
      }
      try ledger.write { transaction throws in
        for plan in plans {
          _ = try transaction.acceptNew(plan)
          try transaction.finishPlan(plan.id, .succeeded(result: [], contentType: nil), at: .test(3))
          guard let name = plan.definition.name else { continue }
          var record = PlanPhaseRecord(name: name, run: plan, isConfigured: false)
          record.phase = .open
          try transaction.save(record)
        }
        _ = try transaction.remove(endedBefore: .test(1_000), limit: 2)
        #expect(try plans.map { try transaction.plan($0.id) != nil } == [true, true, true, false])
      }
    }
  }

  @Test("a job that another one waits for stays, and keeps none behind it from going")
  func neededByOthers() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        let ids = try (0..<6).map { _ in
          let job = NewJob.queued()
          try transaction.end(try transaction.acceptNew(job))
          return job.id
        }
        var waiting = NewJob.held()
        waiting.dependencies = [0, 1].map { Dependency(on: ids[$0], rule: .fail, isKnown: true) }
        let number = try transaction.acceptNew(waiting)
        try transaction.markSent(upTo: 6)
        var (position, removed): (Int64, [Int]) = (0, [])
        repeat {
          let step = try transaction.remove(endedBefore: .test(1_000), after: position, limit: 2)
          removed.append(step.removed)
          position = step.position
          if step.isLast { break }
        } while removed.count < 9
        #expect(removed == [0, 2, 2, 0])
        _ = try transaction.endDependency(of: number, on: ids[0])
        #expect(try transaction.remove(endedBefore: .test(1_000), limit: 9).removed == 1)
        #expect(try transaction.job(ids[0]) == nil)
        #expect(try transaction.job(ids[1]) != nil)
      }
    }
  }

  @Test("for less room the oldest are removed whatever their age, and their room is used again")
  func size() async throws {
    try await temporary.with { ledger async throws in
      let before = try ledger.write { try $0.usedBytes() }
      func fill() throws {
        try ledger.write { transaction throws in
          for _ in 0..<50 {
            try transaction.end(try transaction.acceptNew(.queued(payload: Array(repeating: 1, count: 20_000))))
          }
          try transaction.markSent(upTo: try transaction.lastSeq())
        }
      }
      try fill()
      let full = try ledger.write { try $0.usedBytes() }
      #expect(full > before + 1_000_000)
      let first = try ledger.write { try $0.remove(oldest: 30) }
      #expect(first == RemovalStep(removed: 30, position: 30, isLast: false))
      #expect(try ledger.write { try $0.remove(oldest: 30, after: 30) }.isLast)
      #expect(try ledger.write { try $0.usedBytes() } < before + 200_000)
      #expect(try await ledger.read { try $0.jobs(JobFilter()) }.jobs == [])
      try fill()
      let pages = try ledger.write {
        try $0.statements.first("SELECT * FROM pragma_freelist_count") { try $0[0] as Int }
      }
      #expect(try ledger.write { try $0.usedBytes() } <= full + 200_000)
      #expect(try #require(pages) < 60, "what was freed is used")
    }
  }

  @Test("a job that ended under a clock that was ahead stays, and keeps none behind it from going")
  func clockAhead() async throws {
    try await temporary.with { ledger async throws in
      let numbers = try ledger.write { transaction throws in
        let numbers = try [10, 90_000, 20, 700, 30].map { (time: Int64) in
          let number = try transaction.acceptNew(.queued())
          try transaction.end(number, at: time)
          return number
        }
        try transaction.markSent(upTo: 5)
        return numbers
      }
      let step = try ledger.write { try $0.remove(endedBefore: .test(500), limit: 9, now: .test(1_000)) }
      #expect(step == RemovalStep(removed: 2, position: 3, isLast: true))
      #expect(try ledger.write { try $0.job(number: numbers[1]) } != nil)
      #expect(try ledger.write { try $0.remove(endedBefore: .test(99_000), limit: 9, now: .test(99_500)).removed } == 3)
    }
  }

  @Test("for less room commands that ended before go too, and a plan that a job waits for stays")
  func sizeTakesOperations() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        var operation = try transaction.addOperation(.cancel, department: nil, kind: nil, total: 0, at: .test(1))
        operation.finishedAt = .test(2)
        try transaction.saveOperation(operation)
        let plan = PlanSubmission(id: JobID(), department: "start", steps: [])
        _ = try transaction.acceptNew(plan)
        try transaction.finishPlan(plan.id, .succeeded(result: [], contentType: nil), at: .test(3))
        var waiting = NewJob.held()
        waiting.dependencies = [Dependency(on: plan.id, rule: .fail, isKnown: true)]
        let number = try transaction.acceptNew(waiting)
        try transaction.end(try transaction.acceptNew(.queued()), at: 100)
        try transaction.end(try transaction.acceptNew(.queued()), at: 101)
        try transaction.markSent(upTo: 2)
        #expect(try transaction.remove(oldest: 1).removed == 1)
        #expect(try transaction.operation(operation.id) == nil)
        #expect(try transaction.plan(plan.id) != nil)
        _ = try transaction.endDependency(of: number, on: plan.id)
        _ = try transaction.remove(oldest: 1, after: 1)
        #expect(try transaction.plan(plan.id) == nil)
      }
    }
  }
}
