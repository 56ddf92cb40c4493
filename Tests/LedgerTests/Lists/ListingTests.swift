import GRDB
import JobModel
import Testing

@testable import Ledger

@Suite("listing jobs")
struct ListingTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  /// Jobs of every state in two departments, and the ledger's answers compared with a plain filter of them all.
  @Test("a list is what a plain filter of all jobs gives, newest first")
  func againstPlainFilter() async throws {
    try await temporary.with { ledger async throws in
      let all = try fill(ledger)
      for filter in filters {
        let expected = all.filter { filter.admits($0) }.sorted { $0.number > $1.number }.prefix(filter.limit)
        let listed = try await ledger.read { try $0.jobs(filter) }
        #expect(listed.jobs.map(\.number) == expected.map(\.number), "\(filter)")
        #expect(listed.next == (expected.count == filter.limit ? expected.last?.number : nil))
      }
    }
  }

  private func fill(_ ledger: Ledger) throws -> [Job] {
    let failure = JobFailure(code: "x", message: "")
    return try ledger.write { transaction in
      var numbers: [Int64] = []
      for index in 0..<60 {
        let kind: JobKind = index.isMultiple(of: 7) ? "loan" : "deposit"
        let department: Department = index.isMultiple(of: 4) ? "b" : "a"
        let job = NewJob.held(kind: kind, in: department)
        let queued = NewJob.queued(kind: kind, in: department)
        let number = try transaction.acceptNew(index % 5 == 0 ? job : queued)
        numbers.append(number)
        switch index % 5 {
        case 2: try transaction.end(number)
        case 3: try transaction.end(number, .failed(failure))
        case 4: try transaction.end(number, .cancelled(failure))
        default: break
        }
      }
      return try numbers.compactMap { try transaction.job(number: $0) }
    }
  }

  private var filters: [JobFilter] {
    let states: [Set<JobState>?] =
      [nil, [], [.running], [.held, .failed]] + JobState.allCases.map { [$0] } + [Set(JobState.allCases)]
    return states.flatMap { states in
      [nil, "a", "b", "c"].flatMap { (department: Department?) in
        [nil, "loan", "none"].flatMap { (kind: JobKind?) in
          [(nil, 1_000), (30, 4)].map { (before: Int64?, limit: Int) in
            JobFilter(department: department, states: states, kind: kind, before: before, limit: limit)
          }
        }
      }
    }
  }

  @Test("whatever is asked for, it is found in an index of its own, and nothing else is looked at")
  func plans() async throws {
    try await temporary.with { ledger async throws in
      _ = try fill(ledger)
      for filter in filters where filter.before == nil {
        let isAny = filter.states == nil && filter.department == nil && filter.kind == nil
        for sql in try statements(of: filter, in: ledger) {
          let plan = try ledger.write { transaction in
            try transaction.statements.all("EXPLAIN QUERY PLAN " + sql) { try $0[3] as String }.joined(separator: "\n")
          }
          let isFound = plan.contains("INDEX job_") || plan.contains("PRIMARY KEY (rowid=?)")
          #expect(isFound || isAny && plan.contains("PRIMARY KEY (rowid>? AND rowid<?)"), "\(filter): \(plan)")
          #expect(!plan.contains("TEMP B-TREE") && !plan.contains("SCAN"), "\(filter): \(plan)")
        }
      }
    }
  }

  /// What a list asks the file.
  private func statements(of filter: JobFilter, in ledger: Ledger) throws -> [String] {
    try ledger.write { transaction in
      let database = transaction.statements.database
      var asked: [String] = []
      database.trace { asked.append($0.expandedDescription) }
      defer { database.trace(options: []) }
      _ = try LedgerQueries(database).jobs(filter)
      return asked
    }
  }

  @Test("pages follow each other without a gap")
  func pages() async throws {
    try await temporary.with { ledger async throws in
      let all = try fill(ledger)
      var listed: [Int64] = []
      var before: Int64?
      repeat {
        let filter = JobFilter(before: before, limit: 7)
        let page = try await ledger.read { try $0.jobs(filter) }
        listed += page.jobs.map(\.number)
        before = page.next
      } while before != nil && listed.count <= all.count
      #expect(listed == all.map(\.number).reversed())
    }
  }

  @Test("a list leaves out what handlers returned; asking for outcomes does not")
  func results() async throws {
    try await temporary.with { ledger async throws in
      let (done, open) = (NewJob.queued(), NewJob.queued())
      let outcome = Outcome.succeeded(result: [1, 2, 3], contentType: "text/plain")
      try ledger.write { transaction in
        try transaction.end(try transaction.acceptNew(done), outcome)
        _ = try transaction.acceptNew(open)
      }
      let listed = try await ledger.read { try $0.jobs(JobFilter(states: [.succeeded])) }.jobs
      #expect(listed.map(\.outcome) == [.succeeded(result: [], contentType: "text/plain")])
      let outcomes = try await ledger.read { queries in try [done.id, open.id].map { try queries.job($0)?.outcome } }
      #expect(outcomes == [outcome, nil])
      #expect(try await ledger.read { try $0.job(JobID()) } == nil)
    }
  }

  @Test("a page is never larger than the largest page")
  func limit() async throws {
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        for _ in 0...JobFilter.largestPage { _ = try transaction.acceptNew(.queued()) }
      }
      #expect(try await ledger.read { try $0.jobs(JobFilter(limit: .max)) }.jobs.count == JobFilter.largestPage)
      #expect(try await ledger.read { try $0.jobs(JobFilter(limit: -1)) }.jobs == [])
    }
  }
}

extension JobFilter {
  /// What the filter means, without its limit.
  fileprivate func admits(_ job: Job) -> Bool {
    let isOfState = states?.contains { ($0 == .running ? .queued : $0) == job.progress.state } ?? true
    return isOfState && (department ?? job.department) == job.department && (kind ?? job.kind) == job.kind
      && job.number < before ?? .max
  }
}
