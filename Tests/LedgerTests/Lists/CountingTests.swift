import JobModel
import TestSupport
import Testing

@testable import Ledger

@Suite("counts of jobs")
struct CountingTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private static let filters: [(Department?, JobKind?)] = [
    (nil, nil), ("a", nil), (nil, "loan"), ("b", "deposit"), ("c", nil), (nil, "none"),
  ]

  private func fill(_ ledger: Ledger, _ random: inout SeededRandom) throws -> [Job] {
    try ledger.write { transaction in
      var numbers: [Int64] = []
      for index in 0..<200 {
        let kind: JobKind = ["deposit", "loan"].randomElement(using: &random) ?? "loan"
        let department: Department = ["a", "b"].randomElement(using: &random) ?? "a"
        let isHeld = Bool.random(using: &random)
        let number = try transaction.acceptNew(
          isHeld ? .held(kind: kind, in: department) : .queued(kind: kind, in: department))
        numbers.append(number)
        if isHeld { continue }
        let code = ["timeout", "poison", "lost"].randomElement(using: &random) ?? "lost"
        try transaction.end(number, .failed(JobFailure(code: code, message: "")), at: Int64((index * 7) % 200))
        if index % 9 == 0 { _ = try transaction.settle(number, .dropped) }
      }
      return try numbers.compactMap { try transaction.job(number: $0) }
    }
  }

  @Test("held and failed jobs are counted as a plain filter counts them, and open plans")
  func counts() async throws {
    var random = SeededRandom(for: "counts of jobs")
    try await temporary.with { ledger async throws in
      let all = try fill(ledger, &random)
      for (department, kind) in Self.filters {
        let wanted = all.filter { (department ?? $0.department) == $0.department && (kind ?? $0.kind) == $0.kind }
        let (held, failed) = try await ledger.read { queries in
          (
            try queries.heldCount(department: department, kind: kind),
            try queries.failedCount(department: department, kind: kind)
          )
        }
        #expect(held == wanted.count { $0.progress.state == .held })
        #expect(failed == wanted.count { $0.progress.state == .failed && $0.settlement == nil })
      }
    }
  }

  @Test("open plans are counted, and those that have ended are not")
  func plans() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        for department: Department in ["a", "a", "b"] {
          let plan = PlanSubmission(id: JobID(), department: department, steps: [])
          _ = try transaction.acceptNew(plan)
        }
        let ended = PlanSubmission(id: JobID(), department: "a", steps: [])
        _ = try transaction.acceptNew(ended)
        try transaction.finishPlan(ended.id, .succeeded(result: [], contentType: nil), at: .test(1))
      }
      #expect(try await ledger.read { try $0.openPlanCount() } == 3)
      #expect(try await ledger.read { try $0.openPlanCount(department: "a") } == 2)
      #expect(try await ledger.read { try $0.openPlanCount(department: "c") } == 0)
    }
  }

  @Test("failed jobs are counted by department, kind and error, with the one that failed last")
  func failures() async throws {
    var random = SeededRandom(for: "counts of failures")
    try await temporary.with { ledger async throws in
      let all = try fill(ledger, &random)
      for (department, kind) in Self.filters {
        let wanted = all.filter {
          $0.progress.state == .failed && $0.settlement == nil && (department ?? $0.department) == $0.department
            && (kind ?? $0.kind) == $0.kind
        }
        let groups = Dictionary(grouping: wanted) {
          FailureGroup.ID(department: $0.department, kind: $0.kind, code: $0.outcome?.failure?.code ?? "")
        }
        let filter = JobFilter(department: department, kind: kind)
        let tally = try await ledger.read { try $0.failures(filter) }
        #expect(tally.next == nil)
        #expect(Set(tally.groups.map(\.id)) == Set(groups.keys))
        for group in tally.groups {
          let jobs = groups[group.id] ?? []
          #expect(group.jobs == jobs.count)
          #expect(group.newestAt == jobs.compactMap(\.finishedAt).max())
          #expect(jobs.first { $0.id == group.newest }?.finishedAt == group.newestAt)
        }
      }
      let some = try await ledger.read { try $0.failures(JobFilter(errorCode: "lost", before: 100)) }
      let expected = all.count {
        $0.number < 100 && $0.outcome?.failure?.code == "lost" && $0.settlement == nil
      }
      #expect(some.groups.reduce(0) { $0 + $1.jobs } == expected)
      #expect(Set(some.groups.map(\.id.code)) == ["lost"])
    }
  }

  @Test("error codes that Unicode takes for the same are two, also where one of them is asked for")
  func codes() async throws {
    let codes = ["caf\u{E9}", "cafe\u{301}"]
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        for code in codes {
          try transaction.end(try transaction.acceptNew(.queued()), .failed(JobFailure(code: code, message: "")))
        }
      }
      let all = try await ledger.read { try $0.failures(JobFilter()) }
      #expect(Set(all.groups.map { ExactText($0.id.code) }) == Set(codes.map { ExactText($0) }))
      for code in codes {
        let some = try await ledger.read { try $0.failures(JobFilter(errorCode: code)) }
        #expect(some.groups.map { ExactText($0.id.code) } == [ExactText(code)] && some.groups.first?.jobs == 1)
      }
    }
  }

  @Test("a tally ends after so many jobs, or so many different errors, and all tallies together count each job once")
  func parts() async throws {
    try await temporary.with { ledger async throws in
      let count = FailureTally.jobLimit + Look.limit + 5
      try fillWithErrors(ledger, count)
      let tallies = try await tallies(of: ledger)
      #expect(tallies.count == 3)
      for tally in tallies {
        #expect(tally.groups.count <= FailureTally.groupLimit)
        #expect(tally.groups.map(\.jobs).reduce(0, +) <= FailureTally.jobLimit + Look.limit)
      }
      let sums = Dictionary(tallies.flatMap(\.groups).map { ($0.id.code, $0.jobs) }, uniquingKeysWith: +)
      #expect(sums.count == FailureTally.groupLimit + 4)
      #expect(sums["common"] == count - FailureTally.groupLimit - 3)
      #expect(sums.values.reduce(0, +) == count)
    }
  }

  /// Failed jobs: each of the first ones has an error of its own, the others have the same.
  private func fillWithErrors(_ ledger: Ledger, _ count: Int) throws {
    try ledger.write { transaction throws in
      for index in 0..<count {
        let failure = JobFailure(code: index < FailureTally.groupLimit + 3 ? "own\(index)" : "common", message: "")
        let job = NewJob.queued()
        try transaction.end(try transaction.acceptNew(job), .failed(failure), of: job.identity)
      }
    }
  }

  private func tallies(of ledger: Ledger) async throws -> [FailureTally] {
    var tallies: [FailureTally] = []
    while tallies.isEmpty || tallies.last?.next != nil, tallies.count < 10 {
      let filter = JobFilter(before: tallies.last?.next)
      tallies.append(try await ledger.read { try $0.failures(filter) })
    }
    return tallies
  }
}
