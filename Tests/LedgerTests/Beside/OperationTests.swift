import JobModel
import Ledger
import Testing

@Suite("operations, settlements, pauses")
struct OperationTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  @Test("an operation is about what was accepted before it, and goes on where it was after a restart")
  func operation() async throws {
    let saved = try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        _ = try transaction.acceptNew(.held())
        _ = try transaction.acceptNew(.held())
        var operation = try transaction.addOperation(.cancel, department: "a", kind: nil, total: 2, at: .test(1))
        _ = try transaction.acceptNew(.held())
        #expect(operation.upTo == 2)
        #expect(try transaction.lastNumber() == 3)
        operation.position = 1
        operation.looked = 1
        operation.changed = 1
        try transaction.saveOperation(operation)
        return operation
      }
    }
    try await temporary.with { ledger async throws in
      let other = try ledger.write { transaction throws in
        #expect(try transaction.openOperations(limit: 9) == [saved])
        var done = saved
        done.finishedAt = .test(9)
        try transaction.saveOperation(done)
        let other = try transaction.addOperation(.replay, department: nil, kind: "loan", total: 0, at: .test(2))
        #expect(try transaction.openOperations(limit: 9) == [other])
        #expect(try transaction.operation(saved.id) == done)
        return other
      }
      #expect(try await ledger.read { try $0.operation(other.id) } == other)
      #expect(try await ledger.read { try $0.operation(99) } == nil)
    }
  }

  @Test("old finished operations are removed, those that go on stay, and an id is not given again")
  func removal() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        let open = try transaction.addOperation(.reset, department: nil, kind: nil, total: 0, at: .test(1))
        var done = try transaction.addOperation(.drop, department: nil, kind: nil, total: 0, at: .test(1))
        done.finishedAt = .test(5)
        try transaction.saveOperation(done)
        _ = try transaction.remove(endedBefore: .test(5), limit: 9)
        #expect(try transaction.operation(done.id) == done)
        _ = try transaction.remove(endedBefore: .test(6), limit: 9)
        #expect(try transaction.operation(done.id) == nil)
        #expect(try transaction.openOperations(limit: 9) == [open])
        let next = try transaction.addOperation(.drop, department: nil, kind: nil, total: 0, at: .test(7))
        #expect(next.id > done.id)
        let gone = done
        #expect(throws: LedgerError.self) { try transaction.saveOperation(gone) }
      }
    }
  }

  @Test("a failed job is settled once, and leaves the list of those that somebody has to look after")
  func settlement() async throws {
    try await temporary.with { ledger async throws in
      let (first, second, replay) = (NewJob.queued(payload: [4]), NewJob.queued(), JobID())
      try ledger.write { transaction throws in
        for job in [first, second] { try transaction.end(try transaction.acceptNew(job), .failed(.lost())) }
        try transaction.end(try transaction.acceptNew(.queued()))
        #expect(try transaction.settle(1, .replayed(replay)))
        #expect(try !transaction.settle(1, .dropped))
        #expect(try !transaction.settle(3, .dropped), "it succeeded")
        #expect(try transaction.job(first.id)?.settlement == .replayed(replay))
        #expect(try transaction.content(of: 1)?.payload == [4])
      }
      #expect(try await ledger.read { try $0.jobs(JobFilter(unsettled: true)) }.jobs.map(\.id) == [second.id])
      #expect(try ledger.write { try $0.settle(2, .dropped) })
      #expect(try await ledger.read { try $0.jobs(JobFilter(unsettled: true)) }.jobs == [])
      #expect(try await ledger.read { try $0.jobs(JobFilter(states: [.failed])) }.jobs.count == 2)
      #expect(try ledger.write { try $0.job(second.id) }?.settlement == .dropped)
    }
  }

  @Test("a pause lasts over a restart, and says whether it changed anything")
  func pause() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        #expect(try !transaction.setPaused("a", false))
        #expect(try transaction.setPaused("a", true))
        #expect(try !transaction.setPaused("a", true))
        #expect(try transaction.setPaused("b", true))
        #expect(try transaction.setPaused("b", false))
      }
    }
    try await temporary.with { ledger async throws in
      #expect(try ledger.write { try $0.pausedDepartments() } == ["a"])
    }
  }

  @Test("what a worker was told to have stays when it announces itself anew, and goes with it")
  func wanted() async throws {
    try await temporary.with { ledger async throws in
      let worker = WorkerRecord(id: WorkerID("a"), name: "host/1", tellers: ["loans": 1], session: 1)
      try ledger.write { transaction throws in
        try transaction.welcome(worker)
        try transaction.setWanted(worker.id, ["loans": 4])
        try transaction.setWanted(WorkerID("nobody"), ["loans": 4])
        try transaction.welcome(worker)
        #expect(try transaction.welcomedWorkers().map(\.wanted) == [["loans": 4]])
        try transaction.forget(worker.id)
        try transaction.welcome(worker)
        #expect(try transaction.welcomedWorkers() == [worker])
      }
    }
  }

  @Test("void releases are remembered until they are forgotten")
  func voids() async throws {
    try await temporary.with { ledger async throws in
      let records = (1...3).map { number in
        VoidRecord(
          release: ReleaseID(job: JobID(), number: number), number: Int64(number), department: "a", priority: 7,
          since: .test(Int64(number)))
      }
      try ledger.write { transaction throws in
        for record in records + records { try transaction.addVoid(record) }
        #expect(Set(try transaction.voids()) == Set(records))
        try transaction.removeVoid(records[0].release)
        try transaction.removeVoid(ReleaseID(job: records[1].release.job, number: 99))
      }
    }
    try await temporary.with { ledger async throws in
      #expect(try ledger.write { try $0.voids() }.map(\.number).sorted() == [2, 3])
    }
  }

  @Test("an adoption belongs to one release")
  func adoption() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.queued()
      try ledger.write { transaction throws in
        let number = try transaction.acceptNew(job)
        #expect(try transaction.adopt(number, by: WorkerID("w")))
        #expect(try transaction.released().map(\.adoptedBy) == [WorkerID("w")])
        #expect(try transaction.released().map(\.standing) == [job.standing])
        var progress = job.job.progress
        _ = progress.apply(.claimGranted)
        try transaction.save(progress, of: number, releasedAt: nil)
        #expect(try transaction.released().map(\.adoptedBy) == [WorkerID("w")])
        _ = progress.apply(.foundLost)
        try transaction.save(progress, of: number, releasedAt: .test(9))
        #expect(try transaction.released().map(\.adoptedBy) == [nil])
        try transaction.adopt(number, by: WorkerID("w"))
        try transaction.adopt(number, by: nil)
        #expect(try transaction.released().map(\.adoptedBy) == [nil])
        try transaction.end(number)
        #expect(try !transaction.adopt(number, by: WorkerID("w")))
      }
    }
  }

  @Test("a waiting job is given another priority, standing and rank; one that has ended is not")
  func rerank() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.held(order: OrderPlace(plan: 4, rank: 5, position: 6))
      try ledger.write { transaction throws in
        let number = try transaction.acceptNew(job)
        let standing = Standing(readyAt: .test(0), priority: 9)
        try transaction.rerank(number, priority: 9, standing: standing, order: nil)
        let held = try transaction.held(in: "deposits", priority: 9, limit: 1).first
        #expect(held?.standing == standing)
        #expect(held?.job.order == OrderKey(plan: 4, rank: 5, position: 6))
        let order = OrderKey(plan: 4, rank: 1, position: 6)
        try transaction.rerank(number, priority: 9, standing: standing, order: order)
        #expect(try transaction.job(number: number)?.order == order)
        try transaction.end(number)
        #expect(throws: LedgerError.self) {
          try transaction.rerank(number, priority: 9, standing: standing, order: order)
        }
      }
    }
  }

  @Test("how far each schedule has come is kept, and of which schedule that is, until it is forgotten")
  func schedule() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        #expect(try transaction.scheduleMarks() == [:])
        try transaction.setMark(ScheduleMark(last: .test(1), identity: "a"), of: "night")
        try transaction.setMark(ScheduleMark(last: .test(2), identity: "b"), of: "night")
        try transaction.setMark(ScheduleMark(last: .test(3), identity: nil), of: "noon")
        try transaction.setMark(ScheduleMark(last: .test(4), identity: "a"), of: "gone")
        try transaction.forgetSchedule("gone")
      }
    }
    try await temporary.with { ledger async throws in
      let marks = try ledger.write { try $0.scheduleMarks() }
      #expect(
        marks == [
          "night": ScheduleMark(last: .test(2), identity: "b"), "noon": ScheduleMark(last: .test(3), identity: nil),
        ])
    }
  }

  @Test("an epoch is higher than the last one, and as high as is asked for")
  func epoch() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        #expect(try transaction.lastSeq() == 0)
        try transaction.end(try transaction.acceptNew(.queued()))
        #expect(try transaction.lastSeq() == 1)
        #expect(try transaction.beginEpoch(atLeast: 1, at: Timestamp(milliseconds: 5)) == 2)
        #expect(try transaction.beginEpoch(atLeast: 7, at: Timestamp(milliseconds: 9)) == 7)
        let none = JobProgress.lastEpoch + 1
        #expect(throws: LedgerError.self) { try transaction.beginEpoch(atLeast: none, at: .test(9)) }
      }
      #expect(ledger.epoch == 1)
    }
    try await temporary.with { #expect($0.epoch == 7) }
  }
}
