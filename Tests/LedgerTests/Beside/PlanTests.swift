import JobModel
import Testing

@testable import Ledger

@Suite("plans and workers")
struct PlanTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func plan(_ id: JobID = JobID(), in department: Department = "start") -> PlanSubmission {
    PlanSubmission(id: id, department: department, steps: [])
  }

  @Test("a plan accepted twice is one plan, and comes back with everything")
  func idempotence() async throws {
    try await temporary.with { ledger async throws in
      let reply = ReplyAddress(replyTo: "teller.reply.p", correlationID: "1", wait: .outcome)
      let new = PlanSubmission(
        id: JobID(), department: "start", steps: [], submittedAt: .test(-1), reply: reply)
      let number = try ledger.write { try $0.acceptNew(new, at: .test(3)) }
      let expected = PlanRecord(
        number: number, id: new.id, department: "start", reply: reply, submittedAt: .test(-1), acceptedAt: .test(3),
        finishedAt: nil, outcome: nil)
      #expect(try ledger.write { try $0.accept(new, at: .test(3)) } == .known(expected))
      #expect(try await ledger.read { try $0.plan(new.id) } == expected)
    }
  }

  @Test("plans and jobs draw their acceptance numbers from one sequence")
  func oneSequence() async throws {
    try await temporary.with { ledger async throws in
      let numbers = try ledger.write { transaction in
        [
          try transaction.acceptNew(.queued()), try transaction.acceptNew(plan()),
          try transaction.acceptNew(.queued()),
        ]
      }
      let next = try ledger.write { try $0.acceptNew(plan()) }
      #expect(numbers + [next] == [1, 2, 3, 4])
    }
  }

  @Test("the open plan of a department is the first one without an outcome")
  func openPlan() async throws {
    try await temporary.with { ledger async throws in
      let (first, second) = (plan(), plan())
      let numbers = try ledger.write { transaction in
        _ = try transaction.acceptNew(plan(in: "elsewhere"))
        return [try transaction.acceptNew(first), try transaction.acceptNew(second)]
      }
      #expect(try ledger.write { try $0.openPlanNumber(in: "start") } == numbers[0])
      let done = Outcome.succeeded(result: [], contentType: nil)
      #expect(try ledger.write { try $0.finishPlan(first.id, done, at: .test(9)) })
      #expect(try ledger.write { try $0.openPlanNumber(in: "start") } == numbers[1])
      try ledger.write { _ = try $0.finishPlan(second.id, done, at: .test(9)) }
      #expect(try ledger.write { try $0.openPlanNumber(in: "start") } == nil)
    }
  }

  @Test("a plan has one outcome, the first")
  func finishTwice() async throws {
    try await temporary.with { ledger async throws in
      let new = plan()
      let failure = Outcome.failed(JobFailure(code: "plan_shut", message: "login failed"))
      let (first, second) = try ledger.write { transaction in
        _ = try transaction.acceptNew(new)
        let first = try transaction.finishPlan(new.id, failure, at: .test(5))
        let done = Outcome.succeeded(result: [], contentType: nil)
        return (first, try transaction.finishPlan(new.id, done, at: .test(7)))
      }
      #expect(first)
      #expect(!second)
      let record = try ledger.write { try $0.plan(new.id) }
      #expect(record?.outcome == failure)
      #expect(record?.finishedAt == .test(5))
      #expect(throws: LedgerError.self) { try ledger.write { try $0.finishPlan(JobID(), failure, at: .test(1)) } }
    }
  }

  @Test("a plan's outcome is answered at its newest address")
  func replaceReply() async throws {
    try await temporary.with { ledger async throws in
      let new = plan()
      let reply = ReplyAddress(replyTo: "teller.reply.y", correlationID: "2", wait: .outcome)
      try ledger.write { transaction in
        _ = try transaction.acceptNew(new)
        try transaction.replaceReply(ofPlan: new.id, reply)
      }
      #expect(try ledger.write { try $0.plan(new.id) }?.reply == reply)
      #expect(throws: LedgerError.self) { try ledger.write { try $0.replaceReply(ofPlan: JobID(), reply) } }
    }
  }

  @Test("steps that have not ended come back by rank")
  func steps() async throws {
    try await temporary.with { ledger async throws in
      let new = plan()
      try ledger.write { transaction in
        let number = try transaction.acceptNew(new)
        for (position, (name, rank)) in [("login", 4), ("network", 1), ("user", 3)].enumerated() {
          let place = OrderPlace(plan: number, rank: rank, position: position)
          let id = JobID(plan: new.id, step: name)
          _ = try transaction.acceptNew(.held(id, in: "start", order: place, plan: new.id, step: name))
        }
        let first = try #require(try transaction.firstReadyInOrder(of: "start"))
        var progress = first.job.progress
        _ = progress.apply(.lifted)
        try transaction.save(progress, of: first.job.number, releasedAt: .test(1))
        try transaction.end(first.job.number)
      }
      #expect(try await ledger.read { try $0.unfinishedSteps(of: new.id) }.map(\.step) == ["user", "login"])
      #expect(try ledger.write { try $0.unfinishedSteps(of: new.id) }.map(\.step) == ["user", "login"])
      #expect(try ledger.write { try $0.unfinishedSteps(of: JobID()) } == [])
      try ledger.write { transaction in
        let record = try #require(try transaction.plan(new.id))
        for job in try transaction.unfinishedSteps(of: new.id) {
          #expect(try transaction.hasUnfinishedSteps(of: record))
          var progress = job.progress
          _ = progress.apply(.lifted)
          try transaction.save(progress, of: job.number, releasedAt: .test(1))
          #expect(try transaction.hasUnfinishedSteps(of: record), "released is not ended")
          try transaction.end(job.number)
        }
        #expect(try !transaction.hasUnfinishedSteps(of: record))
      }
    }
  }

  @Test("a welcomed worker is remembered with what it said last, until it is forgotten")
  func workers() async throws {
    try await temporary.with { ledger async throws in
      var worker = WorkerRecord(id: WorkerID("a"), name: "host/1", tellers: ["loans": 1, "deposits": 2], session: 1)
      let other = WorkerRecord(id: WorkerID("b"), name: "host/2", tellers: [:], session: 1)
      try ledger.write { [worker] in
        try $0.welcome(worker)
        try $0.welcome(other)
      }
      worker.session = 2
      worker.tellers = ["loans": 3]
      try ledger.write { [worker] in try $0.welcome(worker) }
      #expect(try ledger.write { try $0.welcomedWorkers() } == [worker, other])
      try ledger.write { try $0.forget(WorkerID("a")) }
      try ledger.write { try $0.forget(WorkerID("nobody")) }
      #expect(try ledger.write { try $0.welcomedWorkers() } == [other])
    }
  }
}
