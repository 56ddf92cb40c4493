import JobModel
import Testing

@testable import Ledger

@Suite("jobs that wait for a time")
struct WaitingTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func delayed(until: Int64, in department: Department = "deposits") -> NewJob {
    var job = NewJob.held(in: department).job
    job.notBefore = .test(until)
    return NewJob(job)
  }

  @Test("a delayed job is held, counted as delayed, and not offered for release until it is lifted")
  func delay() async throws {
    try await temporary.with { ledger async throws in
      let (late, early) = (delayed(until: 50), delayed(until: 20))
      try ledger.write { transaction throws in
        let numbers = try [late, early].map { try transaction.acceptNew($0) }
        #expect(try transaction.heldCounts() == [:])
        #expect(try transaction.counts() == ["deposits": [.held: 2]])
        #expect(try transaction.dueCounts() == ["deposits": WaitingCounts(delayed: 2, dependent: 0)])
        #expect(try transaction.held(in: "deposits", priority: .normal, limit: 9) == [])
        #expect(try transaction.nextDue() == .test(20))
        #expect(try transaction.due(at: .test(19), limit: 9) == [])
        let due = DueJob(
          number: numbers[1], id: early.id, department: "deposits", priority: .normal, notBefore: .test(20),
          openDependencies: 0)
        #expect(try transaction.due(at: .test(20), limit: 9) == [due])
        #expect(try transaction.due(at: .test(99), limit: 9).map(\.number) == numbers.reversed())
        #expect(try transaction.due(at: .test(99), limit: 1).map(\.number) == [numbers[1]])
        try transaction.lift(numbers[1], startBy: nil)
        #expect(try transaction.nextDue() == .test(50))
        let ready = try transaction.held(in: "deposits", priority: .normal, limit: 9)
        #expect(ready.map(\.job.id) == [early.id])
        #expect(ready.map(\.standing) == [Standing(readyAt: .test(20), priority: .normal)])
        #expect(try transaction.heldCounts() == ["deposits": [0, 0, 0, 0, 1, 0, 0, 0, 0, 0]])
      }
      #expect(try await ledger.read { try $0.jobs(JobFilter(states: [.held])) }.jobs.map(\.id) == [early.id, late.id])
    }
  }

  @Test("a moment of the wall clock is compared with what that says, and comes in the order of the ledger's time")
  func moment() async throws {
    try await temporary.with { ledger async throws in
      var job = delayed(until: 50)
      job.job.isByClock = true
      let (moment, span) = (job, delayed(until: 90))
      try ledger.write { transaction throws in
        let numbers = try [moment, span].map { try transaction.acceptNew($0) }
        #expect(try transaction.job(moment.id)?.isByClock == true)
        #expect(try transaction.nextDue(lead: .milliseconds(30)) == .test(80))
        #expect(try transaction.nextDue(lead: .milliseconds(70)) == .test(90))
        #expect(try transaction.due(at: .test(79), wall: .test(49), limit: 9) == [])
        #expect(try transaction.due(at: .test(80), wall: .test(50), limit: 9).map(\.number) == [numbers[0]])
        #expect(try transaction.due(at: .test(90), wall: .test(20), limit: 9).map(\.number) == [numbers[1]])
        #expect(try transaction.due(at: .test(90), wall: .test(60), limit: 1).map(\.number) == [numbers[1]])
      }
    }
  }

  @Test("its standing counts from its time, with the worth of a level that it is given")
  func standing() {
    let job = Job(
      number: 0, id: JobID(), kind: "deposit", department: "deposits", priority: 6,
      progress: JobProgress(maxAttempts: 1), notBefore: .test(500), acceptedAt: .test(100))
    #expect(
      NewJob(job, levelWorth: .seconds(1)).standing == Standing(readyAt: .test(500), priority: 6, worth: .seconds(1)))
    #expect(NewJob.held(at: 100).standing == Standing(readyAt: .test(100), priority: .normal))
  }

  @Test("a job whose attempt failed is held until its time, and waits for none once it is released")
  func retry() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.queued()
      let number = try ledger.write { try $0.acceptNew(job) }
      var progress = job.job.progress
      _ = progress.apply(.reported(token: 1, .failed(JobFailure(code: "x", message: ""), isPermanent: false)))
      try ledger.write { transaction throws in
        try transaction.hold(number, progress, notBefore: .test(70))
        #expect(try transaction.job(number: number)?.notBefore == .test(70))
        #expect(try transaction.nextDue() == .test(70))
        _ = progress.apply(.lifted)
        try transaction.save(progress, of: number, releasedAt: .test(71))
        #expect(try transaction.job(number: number)?.notBefore == nil)
        #expect(try transaction.nextDue() == nil)
        let queued = progress
        #expect(throws: LedgerError.self) { try transaction.hold(number, queued, notBefore: .test(99)) }
      }
    }
  }

  @Test("an ordered department's next job is the first one, even while it waits")
  func ordered() async throws {
    try await temporary.with { ledger async throws in
      var first = delayed(until: 90)
      first.order = OrderPlace(plan: nil, rank: 1, position: 0)
      let second = NewJob.held(order: OrderPlace(plan: nil, rank: 1, position: 0))
      try ledger.write { [first] transaction throws in
        let number = try transaction.acceptNew(first)
        _ = try transaction.acceptNew(second)
        #expect(try transaction.firstGroup(of: "deposits") == OrderGroup(plan: number, rank: 1))
        #expect(try transaction.firstReadyInOrder(of: "deposits") == nil)
      }
    }
  }

  @Test("what has to wait cannot be queued at once")
  func contradiction() async throws {
    try await temporary.with { ledger async throws in
      var job = NewJob.queued()
      job.job.notBefore = .test(5)
      let wrong = job
      #expect(throws: LedgerError.self) { try ledger.write { try $0.accept(wrong) } }
    }
  }

  @Test("a job that was not started in time is told until it has ended or was started")
  func tooLate() async throws {
    try await temporary.with { ledger async throws in
      let ids = try ledger.write { transaction throws in
        try ([30, 10, 20] as [Int64]).map { time in
          var job = time == 20 ? NewJob.queued() : NewJob.held()
          job.job.startBy = .test(time)
          _ = try transaction.acceptNew(job)
          return job.id
        }
      }
      try ledger.write { transaction throws in
        _ = try transaction.acceptNew(.held())
        #expect(try transaction.nextStartBy() == .test(10))
        #expect(try transaction.tooLate(at: .test(25), limit: 9).map(\.id) == [ids[1], ids[2]])
        #expect(try transaction.tooLate(at: .test(25), limit: 1).map(\.startBy) == [.test(10)])
        try transaction.end(2, .failed(.tooLate()))
        try transaction.clearStartBy(3)
        #expect(try transaction.tooLate(at: .test(25), limit: 9) == [])
        #expect(try transaction.nextStartBy() == .test(30))
      }
    }
  }

  @Test("a job that waits for a moment of the wall clock is not told before it is lifted, with its time from then on")
  func tooLateByClock() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        var job = delayed(until: 50)
        (job.job.isByClock, job.job.startBy) = (true, .test(70))
        let number = try transaction.acceptNew(job)
        #expect(try transaction.nextStartBy() == nil)
        #expect(try transaction.tooLate(at: .test(999), limit: 9) == [])
        let due = try transaction.due(at: .test(200), wall: .test(50), limit: 9)
        #expect(due.map(\.startBy) == [.test(70)] && due.map(\.notBefore) == [.test(50)] && due[0].isByClock)
        try transaction.lift(number, startBy: .test(220))
        #expect(try transaction.job(number: number)?.isByClock == false)
        #expect(try transaction.nextStartBy() == .test(220))
        #expect(try transaction.tooLate(at: .test(220), limit: 9).map(\.startBy) == [.test(220)])
      }
    }
  }

  @Test("jobs that come too late are given in steps, also those of one moment")
  func tooLateInSteps() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        let numbers = try [5, 3, 3, 3, 9].map { (time: Int64) in
          var job = NewJob.held()
          job.job.startBy = .test(time)
          return try transaction.acceptNew(job)
        }
        var (position, given): (StartByPosition?, [Int64]) = (nil, [])
        while let next = try transaction.tooLate(at: .test(5), after: position, limit: 1).first {
          given.append(next.number)
          position = StartByPosition(startBy: try #require(next.startBy), number: next.number)
          guard given.count < 9 else { break }
        }
        #expect(given == [1, 2, 3, 0].map { numbers[$0] })
      }
    }
  }
}
