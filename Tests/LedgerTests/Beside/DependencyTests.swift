import JobModel
import TestSupport
import Testing

@testable import Ledger

@Suite("jobs that wait for others")
struct DependencyTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private func job(
    _ id: JobID = JobID(), after targets: [(JobID, isKnown: Bool)], rule: DependencyRule = .fail, at: Int64 = 0
  ) -> NewJob {
    var job = NewJob.held(id, at: at)
    job.dependencies = targets.map { Dependency(on: $0.0, rule: rule, isKnown: $0.isKnown) }
    return job
  }

  @Test("a job is released only after the last job that it waits for is settled")
  func settle() async throws {
    try await temporary.with { ledger async throws in
      let (first, second) = (NewJob.queued(), NewJob.queued())
      let waiting = job(after: [(first.id, true), (second.id, true)], rule: .cancel)
      try ledger.write { transaction throws in
        _ = try [first, second].map { try transaction.acceptNew($0) }
        let number = try transaction.acceptNew(waiting)
        #expect(try transaction.openDependencyCount() == 2)
        #expect(try transaction.heldCounts() == [:])
        #expect(try transaction.dueCounts() == ["deposits": WaitingCounts(delayed: 0, dependent: 1)])
        let open = [first.id, second.id].sorted { $0.description < $1.description }
        let expected = open.map { Dependency(on: $0, rule: .cancel, isKnown: true) }
        #expect(try LedgerQueries(transaction.statements.database).dependencies(of: number, limit: 9) == expected)
        let record = try #require(try transaction.job(number: number))
        #expect(record.openDependencies == 2)
        let dependent = Dependent(job: record, on: first.id, rule: .cancel)
        #expect(try transaction.dependents(of: first.id, limit: 9) == [dependent])
        #expect(try transaction.endDependency(of: number, on: first.id) == 1)
        #expect(try transaction.endDependency(of: number, on: first.id) == 1, "settled twice is settled once")
        #expect(try transaction.held(in: "deposits", priority: .normal, limit: 9) == [])
        #expect(try transaction.endDependency(of: number, on: second.id) == 0)
        #expect(try transaction.held(in: "deposits", priority: .normal, limit: 9).map(\.job.id) == [waiting.id])
        #expect(try transaction.openDependencyCount() == 0)
      }
    }
  }

  @Test("a job named twice is waited for once")
  func named() async throws {
    try await temporary.with { ledger async throws in
      let target = JobID()
      try ledger.write { transaction throws in
        let number = try transaction.acceptNew(job(after: [(target, false), (target, false)]))
        #expect(try transaction.job(number: number)?.openDependencies == 1)
        #expect(try transaction.endDependency(of: number, on: target) == 0)
      }
    }
  }

  @Test("a job that ends by another way waits for nothing any more")
  func removal() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        let targets = [JobID(), JobID()]
        let number = try transaction.acceptNew(job(after: targets.map { ($0, false) }))
        var open: [JobID] = []
        try transaction.eachDependency { open.append($0) }
        #expect(Set(open) == Set(targets))
        #expect(Set(try transaction.removeDependencies(of: number)) == Set(targets))
        #expect(try transaction.removeDependencies(of: number) == [])
        #expect(try transaction.job(number: number)?.openDependencies == 0)
        #expect(try transaction.openDependencyCount() == 0)
      }
    }
  }

  @Test("what waits for a job that never came is found by its age, until that job comes")
  func unknown() async throws {
    try await temporary.with { ledger async throws in
      let (missing, late) = (JobID(), NewJob.queued())
      let (old, young) = (job(after: [(missing, false)], at: 1), job(after: [(late.id, false)], at: 5))
      try ledger.write { transaction throws in
        for job in [old, young] { _ = try transaction.acceptNew(job) }
        #expect(try transaction.unknownDependencies(since: .test(0), limit: 9) == [])
        #expect(try transaction.unknownDependencies(since: .test(1), limit: 9).map(\.on) == [missing])
        #expect(try transaction.unknownDependencies(since: .test(9), limit: 9).map(\.job.id) == [old.id, young.id])
        _ = try transaction.acceptNew(late)
        #expect(try transaction.markKnown(late.id))
        #expect(try !transaction.markKnown(late.id))
        #expect(try !transaction.markKnown(JobID()))
        #expect(try transaction.unknownDependencies(since: .test(9), limit: 9).map(\.on) == [missing])
      }
    }
  }

  @Test("a job that so many wait for that not all could be marked is not taken for unknown")
  func unmarked() async throws {
    try await temporary.with { ledger async throws in
      let target = NewJob.queued()
      let count = LedgerTransaction.markLimit + 5
      try ledger.write { transaction throws in
        for _ in 0..<count { _ = try transaction.acceptNew(job(after: [(target.id, false)])) }
        _ = try transaction.acceptNew(target)
        #expect(try transaction.markKnown(target.id))
        #expect(try transaction.unknownDependencies(since: .test(9), limit: 9) == [])
        let left = try transaction.statements.first("SELECT count(*) FROM dependency WHERE known = 0") {
          try $0[0] as Int
        }
        #expect(left == 0)
      }
    }
  }

  @Test("many dependents come in pages, as each page is settled")
  func pages() async throws {
    try await temporary.with { ledger async throws in
      let target = JobID()
      try ledger.write { transaction throws in
        let numbers = try (0..<25).map { _ in try transaction.acceptNew(job(after: [(target, false)])) }
        var settled: [Int64] = []
        while settled.count < 99 {
          let page = try transaction.dependents(of: target, limit: 10)
          if page.isEmpty { break }
          for dependent in page { _ = try transaction.endDependency(of: dependent.job.number, on: target) }
          settled += page.map(\.job.number)
        }
        #expect(settled == numbers)
      }
    }
  }

  @Test("after a crash, the jobs that have ended and are still waited for are found, in parts")
  func ended() async throws {
    try await temporary.with { ledger async throws in
      let jobs = (0..<9).map { _ in NewJob.queued() }
      try ledger.write { transaction throws in
        for (index, target) in jobs.enumerated() {
          let number = try transaction.acceptNew(target)
          _ = try transaction.acceptNew(job(after: [(target.id, true), (JobID(), false)]))
          if index % 3 == 0 { try transaction.end(number) }
          if index % 3 == 1 { try transaction.end(number, .failed(.lost())) }
        }
        var found: [JobID: JobState] = [:]
        var position: JobID?
        var parts = 0
        repeat {
          let part = try transaction.finishedDependencyTargets(after: position, limit: 4)
          for target in part.targets { found[target.id] = target.state }
          position = part.position
          parts += 1
        } while position != nil && parts < 99
        let expected = jobs.enumerated().filter { $0.offset % 3 != 2 }.map { index, job in
          (job.id, index % 3 == 0 ? JobState.succeeded : .failed)
        }
        #expect(found == Dictionary(uniqueKeysWithValues: expected))
        #expect(parts > 1)
      }
    }
  }

  @Test("states are told of the jobs that are there")
  func states() async throws {
    try await temporary.with { ledger async throws in
      let (held, done) = (NewJob.held(), NewJob.queued())
      try ledger.write { transaction throws in
        _ = try transaction.acceptNew(held)
        try transaction.end(try transaction.acceptNew(done))
        #expect(try transaction.states(of: [held.id, done.id, JobID()]) == [held.id: .held, done.id: .succeeded])
      }
    }
  }

  @Test("whether a job waits for another is what a plain walk over random dependencies says")
  func circles() async throws {
    var random = SeededRandom(for: "dependency circles")
    let ids = (0..<14).map { _ in JobID() }
    let edges = ids.indices.map { from in
      Set(ids.indices.filter { $0 != from && Int.random(in: 0..<7, using: &random) == 0 })
    }
    func reaches(_ from: Int, _ to: Int) -> Bool {
      var (seen, open): (Set<Int>, [Int]) = ([], Array(edges[from]))
      while let next = open.popLast() {
        if seen.insert(next).inserted { open += edges[next] }
      }
      return seen.contains(to)
    }
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        for index in ids.indices {
          _ = try transaction.acceptNew(job(ids[index], after: edges[index].map { (ids[$0], true) }))
        }
        for from in ids.indices {
          for to in ids.indices where from != to {
            #expect(try transaction.dependsOn(ids[from], ids[to], limit: 99) == reaches(from, to), "\(from) \(to)")
          }
        }
      }
    }
  }

  @Test("a walk that becomes too long says that it does not know")
  func longWalk() async throws {
    try await temporary.with { ledger async throws in
      let ids = (0..<20).map { _ in JobID() }
      try ledger.write { transaction throws in
        for index in 1..<20 { _ = try transaction.acceptNew(job(ids[index], after: [(ids[index - 1], true)])) }
        #expect(try transaction.dependsOn(ids[19], ids[0], limit: 5) == nil)
        #expect(try transaction.dependsOn(ids[19], ids[0], limit: 50) == true)
        #expect(try transaction.dependsOn(ids[0], ids[19], limit: 5) == false)
      }
    }
  }
}

extension LedgerTransaction {
  fileprivate func openDependencyCount() throws -> Int {
    var count = 0
    try eachDependency { _ in count += 1 }
    return count
  }
}
