import GRDB
import JobModel
import TestSupport
import Testing

@testable import Ledger

@Suite("filters of lists")
struct FilterTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private static let plans = [JobID(), JobID()]

  /// Jobs of every state, with error codes, keys and plans, accepted some milliseconds after each other or at once; every
  /// tenth was removed.
  private func fill(_ ledger: Ledger, _ count: Int, _ random: inout SeededRandom) throws -> [Job] {
    try ledger.write { transaction in
      var (numbers, time): ([Int64], Int64) = ([], 0)
      for index in 0..<count {
        time += Int64.random(in: 0...3, using: &random)
        let kind: JobKind = ["deposit", "loan"].randomElement(using: &random) ?? "loan"
        let isHeld = Int.random(in: 0..<5, using: &random) == 0
        var new: NewJob =
          isHeld ? .held(kind: kind, in: "a", at: time) : .queued(kind: kind, in: index % 3 == 0 ? "b" : "a", at: time)
        new.job.key = ["x", "y", nil].randomElement(using: &random) ?? nil
        new.job.plan = (Self.plans + [nil]).randomElement(using: &random) ?? nil
        let number = try transaction.acceptNew(new)
        if !isHeld { try end(number, transaction, &random) }
        if index % 10 == 9 {
          try transaction.statements.run("DELETE FROM job WHERE number = ?", number)
        } else {
          numbers.append(number)
        }
      }
      return try numbers.compactMap { try transaction.job(number: $0) }
    }
  }

  private func end(_ number: Int64, _ transaction: LedgerTransaction, _ random: inout SeededRandom) throws {
    let failure = JobFailure(code: ["timeout", "poison"].randomElement(using: &random) ?? "x", message: "")
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try transaction.end(number)
    case 1: try transaction.end(number, .cancelled(failure))
    case 2:
      try transaction.end(number, .failed(failure))
      _ = try transaction.settle(number, .dropped)
    default: try transaction.end(number, .failed(failure))
    }
  }

  private func randomFilter(_ random: inout SeededRandom) -> JobFilter {
    func maybe<Value>(_ values: Value...) -> Value? {
      (values.map(Optional.some) + [nil]).randomElement(using: &random) ?? nil
    }
    let kind = maybe("deposit" as JobKind, "loan", "none")
    let since = maybe(Timestamp.test(Int64.random(in: -5...400, using: &random)))
    let until = maybe(Timestamp.test(Int64.random(in: -5...400, using: &random)))
    return JobFilter(
      department: maybe("a", "b", "c"), states: maybe([.failed], [.held, .cancelled], [.queued]), kind: kind,
      unsettled: Bool.random(using: &random), acceptedSince: since, acceptedBefore: until,
      errorCode: maybe("timeout", "no such code"), key: kind == nil ? nil : maybe("x", "z"),
      plan: maybe(Self.plans[0], JobID()), before: maybe(Int64.random(in: 0...220, using: &random)),
      limit: Int.random(in: 1...30, using: &random))
  }

  @Test("whatever is asked for, all pages together are what a plain filter of all jobs gives, newest first")
  func againstPlainFilter() async throws {
    var random = SeededRandom(for: "filters of lists")
    try await temporary.with { ledger async throws in
      let all = try fill(ledger, 200, &random)
      for _ in 0..<1_000 {
        let filter = randomFilter(&random)
        let expected = all.filter { filter.admits($0) }.map(\.number).sorted(by: >)
        #expect(try await pages(filter, ledger) == expected, "\(filter)")
      }
    }
  }

  private func pages(_ first: JobFilter, _ ledger: Ledger) async throws -> [Int64] {
    var (filter, numbers): (JobFilter, [Int64]) = (first, [])
    for _ in 0..<1_000 {
      let asked = filter
      let page = try await ledger.read { try $0.jobs(asked) }
      #expect(page.jobs.count <= filter.limit)
      numbers += page.jobs.map(\.number)
      guard let next = page.next else { return numbers }
      #expect(next < filter.before ?? .max)
      filter.before = next
    }
    return numbers
  }

  @Test("a time is found by halving the numbers: of many jobs few are looked at")
  func timesAreFound() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction throws in
        for index in 0..<5_000 { _ = try transaction.acceptNew(.queued(at: Int64(index))) }
      }
      let filter = JobFilter(acceptedSince: .test(2_000), acceptedBefore: .test(2_003))
      let (asked, numbers) = try ledger.write { transaction in
        let database = transaction.statements.database
        var asked = 0
        database.trace { _ in asked += 1 }
        defer { database.trace(options: []) }
        let numbers = try LedgerQueries(database).jobs(filter).jobs.map(\.number)
        return (asked, numbers)
      }
      #expect(numbers == [2_003, 2_002, 2_001])
      #expect(asked <= 40)
      let none = try await ledger.read { try $0.jobs(JobFilter(acceptedSince: .test(9_000))) }
      #expect(none == JobList(jobs: [], next: nil))
    }
  }

  @Test("an error that few of many failed jobs have is looked for in parts, and each says where to go on")
  func rareError() async throws {
    try await temporary.with { ledger async throws in
      let rare = try ledger.write { transaction throws in
        let rare = try transaction.acceptNew(.queued())
        try transaction.end(rare, .failed(JobFailure(code: "rare", message: "")))
        for _ in 0..<(Look.limit + 10) {
          try transaction.end(try transaction.acceptNew(.queued()), .failed(JobFailure(code: "common", message: "")))
        }
        return rare
      }
      let filter = JobFilter(states: [.failed], errorCode: "rare", limit: 5)
      let first = try await ledger.read { try $0.jobs(filter) }
      #expect(first == JobList(jobs: [], next: 12))
      #expect(try await pages(filter, ledger) == [rare])
    }
  }

  @Test("with more groups than are visited one by one, a list by error is the same")
  func manyGroups() async throws {
    try await temporary.with { ledger async throws in
      let failed = try ledger.write { transaction throws in
        try (0..<(Shelf.groupLimit + 10)).map { index in
          let number = try transaction.acceptNew(.queued(kind: JobKind("k\(index)") ?? "k"))
          try transaction.end(number, .failed(JobFailure(code: index == 3 ? "rare" : "common", message: "")))
          return number
        }
      }
      #expect(try await pages(JobFilter(states: [.failed], errorCode: "rare"), ledger) == [failed[3]])
      #expect(try await pages(JobFilter(errorCode: "common", limit: 300), ledger).count == failed.count - 1)
    }
  }

  static let looks: [(filter: JobFilter, index: String)] = [
    (JobFilter(kind: "k", key: "x", before: 90), "job_key (kind=? AND key=? AND rowid>? AND rowid<?)"),
    (JobFilter(plan: JobID(), before: 90), "job_plan (plan=? AND rowid>? AND rowid<?)"),
  ]

  @Test("keys and plans are found in their index, without sorting", arguments: looks)
  func indexes(filter: JobFilter, index: String) async throws {
    try await temporary.with { ledger async throws in
      let plans = try ledger.write { transaction in
        let database = transaction.statements.database
        var asked: [String] = []
        database.trace { asked.append($0.expandedDescription) }
        _ = try LedgerQueries(database).jobs(filter)
        database.trace(options: [])
        return try asked.map { sql in
          try transaction.statements.all("EXPLAIN QUERY PLAN " + sql) { try $0[3] as String }.joined(separator: "\n")
        }
      }
      #expect(plans.contains { $0.contains(index) }, "\(plans)")
      #expect(!plans.contains { $0.contains("TEMP B-TREE") || $0.contains("SCAN") }, "\(plans)")
    }
  }
}

extension JobFilter {
  /// What the filter means, without its limit.
  fileprivate func admits(_ job: Job) -> Bool {
    let isOfState = unsettled ? job.progress.state == .failed && job.settlement == nil : isOfStates(job)
    let isInTime =
      acceptedSince ?? job.acceptedAt <= job.acceptedAt && acceptedBefore.map { job.acceptedAt < $0 } ?? true
    return isOfState && isInTime && (department ?? job.department) == job.department && (kind ?? job.kind) == job.kind
      && (errorCode.map { job.outcome?.failure?.code == $0 } ?? true) && (key.map { job.key == $0 } ?? true)
      && (plan.map { job.plan == $0 } ?? true) && job.number < before ?? .max
  }

  private func isOfStates(_ job: Job) -> Bool { states?.contains(job.progress.state) ?? true }
}
