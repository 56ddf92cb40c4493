import GRDB
import JobModel
import TestSupport
import Testing

@testable import Ledger

@Suite("steps through many jobs")
struct StepTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  /// Jobs of every state, department and kind, in random order.
  private func fill(_ ledger: Ledger, _ count: Int, _ random: inout SeededRandom) throws -> [Job] {
    let failure = JobFailure(code: "x", message: "")
    return try ledger.write { transaction in
      var numbers: [Int64] = []
      for _ in 0..<count {
        let kind: JobKind = ["deposit", "loan", "card"].randomElement(using: &random) ?? "card"
        let department: Department = ["a", "b"].randomElement(using: &random) ?? "b"
        let state = Int.random(in: 0..<6, using: &random)
        let job: NewJob = state < 3 ? .held(kind: kind, in: department) : .queued(kind: kind, in: department)
        let number = try transaction.acceptNew(job)
        numbers.append(number)
        if state == 4 { try transaction.end(number, .failed(failure)) }
        if state == 5 { try transaction.end(number) }
      }
      return try numbers.compactMap { try transaction.job(number: $0) }
    }
  }

  private let filters: [(Department?, JobKind?)] = [
    (nil, nil), ("a", nil), (nil, "loan"), ("b", "card"), ("c", nil), (nil, "none"),
  ]

  @Test(
    "all steps together give every job without an outcome once, as it was accepted, and no more than the limit each")
  func live() async throws {
    var random = SeededRandom(for: "live steps")
    try await temporary.with { ledger async throws in
      let all = try fill(ledger, 300, &random)
      for (department, kind) in filters {
        let expected = all.filter {
          !$0.progress.state.isFinal && $0.number <= 250 && (department ?? $0.department) == $0.department
            && (kind ?? $0.kind) == $0.kind
        }
        for limit in [1, 7, 1_000] {
          let given = try steps(ledger, limit) {
            try $0.liveJobs(after: $1, upTo: 250, department: department, kind: kind, limit: limit)
          }
          #expect(given == expected, "\(String(describing: department)) \(String(describing: kind)) \(limit)")
        }
      }
    }
  }

  @Test("the failed jobs that nobody has looked after likewise")
  func failed() async throws {
    var random = SeededRandom(for: "failed steps")
    try await temporary.with { ledger async throws in
      let all = try fill(ledger, 300, &random)
      let settled = try #require(all.first { $0.progress.state == .failed })
      #expect(try ledger.write { try $0.settle(settled.number, .dropped) })
      for (department, kind) in filters {
        let expected = all.filter {
          $0.progress.state == .failed && $0.number != settled.number && $0.number <= 250
            && (department ?? $0.department) == $0.department && (kind ?? $0.kind) == $0.kind
        }
        let given = try steps(ledger, 7) {
          try $0.failedJobs(after: $1, upTo: 250, department: department, kind: kind, limit: 7)
        }
        #expect(given == expected)
      }
    }
  }

  private func steps(
    _ ledger: Ledger, _ limit: Int, _ next: (LedgerTransaction, Int64) throws -> JobStep
  ) throws -> [Job] {
    var (jobs, position): ([Job], Int64) = ([], 0)
    while true {
      let step = try ledger.write { try next($0, position) }
      #expect(step.jobs.count <= limit)
      #expect(step.isLast || step.position > position)
      jobs += step.jobs
      position = step.position
      if step.isLast || jobs.count > 1_000 { return jobs }
    }
  }

  @Test("with more groups than are visited one by one, lists and steps are the same")
  func manyGroups() async throws {
    try await temporary.with { ledger async throws in
      let count = Shelf.groupLimit + 10
      let ids = try ledger.write { transaction throws in
        try (0..<count).map { index in
          let job = NewJob.held(kind: JobKind("k\(index)") ?? "k")
          _ = try transaction.acceptNew(job)
          return job.id
        }
      }
      let listed = try await ledger.read { try $0.jobs(JobFilter(states: [.held], limit: 20)) }.jobs
      #expect(listed.map(\.id) == ids.suffix(20).reversed())
      let step = try ledger.write { try $0.liveJobs(after: 5, upTo: .max, limit: 20) }
      #expect(step.jobs.map(\.id) == Array(ids[5..<25]))
    }
  }

  @Test("with more groups than are visited one by one, a step looks at some jobs one after the other, and sorts none")
  func manyGroupsCost() async throws {
    try await temporary.with { ledger async throws in
      try fillManyGroups(ledger)
      for sql in try asked(ledger, { _ = try $0.liveJobs(after: 5, upTo: .max, limit: 20) }) {
        try expectNoSorting(sql, ledger)
      }
      let failed = try asked(ledger) { _ = try $0.failedJobs(after: 5, upTo: .max, limit: 20) }
      for sql in failed { try expectNoSorting(sql, ledger) }
    }
  }

  @Test("with more groups than are visited one by one, a page of a common state is found without the rest of it")
  func manyGroupsPage() async throws {
    try await temporary.with { ledger async throws in
      try fillManyGroups(ledger)
      let pages: [JobFilter] = [
        JobFilter(states: [.held], limit: 20), JobFilter(states: [.held], before: 500, limit: 20),
        JobFilter(department: "deposits", limit: 20), JobFilter(states: [.held, .queued], limit: 20),
      ]
      for filter in pages {
        let page = try asked(ledger) { _ = try LedgerQueries($0.statements.database).jobs(filter) }
        for sql in page { try expectNoSorting(sql, ledger) }
      }
    }
  }

  @Test("with more groups than are visited one by one, what lies far behind other jobs is found all the same")
  func manyGroupsFarBehind() async throws {
    try await temporary.with { ledger async throws in
      let failed = try fillManyGroups(ledger, isFailed: true)
      try ledger.write { transaction throws in
        for _ in 0..<(Walk.limit + 10) { _ = try transaction.acceptNew(.queued()) }
      }
      let page = try await ledger.read { try $0.jobs(JobFilter(states: [.failed], limit: 20)) }.jobs
      #expect(page.map(\.id) == failed.suffix(20).reversed())
      try await expectSteps(ledger, give: failed)
      // And before them.
      let later = try fillManyGroups(ledger, isFailed: true)
      try await expectSteps(ledger, give: failed + later)
    }
  }

  private func expectSteps(_ ledger: Ledger, give expected: [JobID]) async throws {
    var (found, position, count): ([JobID], Int64, Int) = ([], 0, 0)
    var isLast = false
    while !isLast, count < 1_000 {
      let step = try ledger.write { try $0.failedJobs(after: position, upTo: .max, limit: 100) }
      #expect(step.isLast || step.position > position)
      #expect(step.jobs.count <= 100)
      found += step.jobs.map(\.id)
      (position, isLast, count) = (step.position, step.isLast, count + 1)
    }
    #expect(found == expected)
  }

  /// A held job of each kind, and a failed one of each.
  @discardableResult
  private func fillManyGroups(_ ledger: Ledger, isFailed: Bool = false) throws -> [JobID] {
    let failure = JobFailure(code: "x", message: "")
    return try ledger.write { transaction throws in
      try (0..<(Shelf.groupLimit + 10)).map { index in
        let kind = JobKind("k\(index)") ?? "k"
        let (failed, held) = (NewJob.queued(kind: kind), NewJob.held(kind: kind))
        try transaction.end(try transaction.acceptNew(failed), .failed(failure))
        if !isFailed { _ = try transaction.acceptNew(held) }
        return isFailed ? failed.id : held.id
      }
    }
  }

  private func asked(_ ledger: Ledger, _ body: (LedgerTransaction) throws -> Void) throws -> Set<String> {
    try ledger.write { transaction in
      let database = transaction.statements.database
      var asked: Set<String> = []
      database.trace { asked.insert($0.expandedDescription) }
      defer { database.trace(options: []) }
      try body(transaction)
      return asked
    }
  }

  private func expectNoSorting(_ sql: String, _ ledger: Ledger) throws {
    let plan = try ledger.write { transaction in
      try transaction.statements.all("EXPLAIN QUERY PLAN " + sql) { try $0[3] as String }.joined(separator: "\n")
    }
    #expect(!plan.contains("TEMP B-TREE") && !plan.contains("SCAN"), "\(sql): \(plan)")
  }
}
