import JobModel
import TestSupport
import Testing

@testable import Ledger

@Suite("lists of keys")
struct KeyPageTests {
  let temporary: TemporaryLedger
  init() throws { temporary = try TemporaryLedger() }

  private static let kinds: [JobKind] = ["deposit", "loan", "a_b"]

  /// Every key of a list, read a page at a time.
  private func all(of kind: JobKind?, limit: Int, _ ledger: Ledger) async throws -> [JobKey] {
    var found: [JobKey] = []
    while true {
      let page = try await ledger.read { [last = found.last] in try $0.keys(of: kind, after: last, limit: limit) }
      found += page.map(\.position)
      if page.count < limit { return found }
    }
  }

  @Test("are in order by kind and key, whatever the size of a page, and of one kind if that is asked for")
  func pages() async throws {
    var random = SeededRandom(for: "pages of keys")
    let positions = Set(
      (0..<60).map { _ in
        JobKey(
          kind: Self.kinds[Int.random(in: 0..<3, using: &random)],
          key: ["x", "é", "Z", "a b", "/"][Int.random(in: 0..<5, using: &random)]
            + "\(Int.random(in: 0..<9, using: &random))")
      })
    try await temporary.with { ledger async throws in
      try ledger.write { transaction in
        for position in positions {
          try transaction.takeKey(position.kind, position.key, job: JobID(), until: .test(9))
        }
      }
      // SQLite compares texts by their bytes.
      let sorted = positions.sorted { left, right in
        left.kind == right.kind
          ? left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
          : left.kind.name.utf8.lexicographicallyPrecedes(right.kind.name.utf8)
      }
      for limit in [1, 2, 7, 1_000] {
        #expect(try await all(of: nil, limit: limit, ledger) == sorted)
        for kind in Self.kinds {
          #expect(try await all(of: kind, limit: limit, ledger) == sorted.filter { $0.kind == kind })
        }
      }
      let other = JobKey(kind: "zzz", key: "")
      #expect(try await ledger.read { try $0.keys(of: "loan", after: other, limit: 9) } == [])
    }
  }

  @Test("each has its job, the end of its window, and the state of its job as long as the ledger has it")
  func rows() async throws {
    try await temporary.with { ledger async throws in
      let job = NewJob.queued()
      try ledger.write { transaction in
        _ = try transaction.acceptNew(job)
        try transaction.takeKey("deposit", "a", job: job.id, until: .test(50))
        try transaction.takeKey("deposit", "b", job: JobID(), until: .test(60))
      }
      let keys = try await ledger.read { try $0.keys(of: nil, after: nil, limit: 9) }
      #expect(keys.map(\.position.key) == ["a", "b"])
      #expect(keys.map(\.record.state) == [.queued, nil])
      #expect(keys.map(\.record.until) == [.test(50), .test(60)] && keys[0].record.job == job.id)
    }
  }
}
