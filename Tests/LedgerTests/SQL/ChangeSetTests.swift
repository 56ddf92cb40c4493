import JobModel
import LedgerSupport
import TestSupport
import Testing

@testable import Ledger

@Suite("change sets")
struct ChangeSetTests {
  let temporary: TemporaryLedger
  let other: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
    other = try TemporaryLedger()
  }

  /// Hands over a ledger, and its copy as it is then.
  private func withCopy(
    of prepare: (Ledger) throws -> Void = { _ in }, _ body: (Ledger, Ledger) async throws -> Void
  ) async throws {
    try await temporary.with { ledger async throws in
      try prepare(ledger)
      _ = try await LedgerBackup(of: temporary.path, to: other.path).run()
      try await other.with { copy async throws in try await body(ledger, copy) }
    }
  }

  private func difference() throws -> String? { try LedgerComparison(temporary.path, other.path).difference() }

  @Test("whatever is written, a copy to which it is applied has the same rows", arguments: 0..<2)
  func replay(round: Int) async throws {
    var writes = RandomWrites(random: SeededRandom(for: "replay \(round)"))
    func turn(_ ledger: Ledger) throws -> ChangeSet? {
      do throws(LedgerError) {
        return try ledger.record { try writes.turn($0) }.changes
      } catch {
        guard error == .failed("nothing of this is recorded") else { throw error }
        return nil
      }
    }
    var used: [String: Int] = [:]
    try await withCopy { ledger throws in
      for _ in 0..<20 { _ = try turn(ledger) }
    } _: { ledger, copy in
      var last = try ledger.write { try $0.turns() }
      for _ in 0..<30 {
        for _ in 0..<20 {
          guard let changes = try turn(ledger) else { continue }
          last += 1
          #expect(changes.turn == last)
          #expect(try copy.apply(changes))
          for write in changes.writes { used[write.sql, default: 0] += 1 }
        }
        let difference = try difference()
        try #require(difference == nil)
      }
      #expect(try ledger.write { try $0.turns() } == last)
    }
    // Nearly every statement that changes something was among them, and none leaves open what it does.
    #expect(used.count > 50)
    for sql in used.keys.map({ $0.lowercased() }) {
      #expect(!sql.contains("limit") || sql.contains("order by"), "\(sql)")
      for open in ["random", "'now'", "current_", "time(", "date("] { #expect(!sql.contains(open), "\(sql)") }
    }
  }

  /// What needs more rows than chance makes: a hundred thousand actions, a thousand workers that were given up.
  private static let ofLimits = ["DELETE FROM action WHERE number <= ", "DELETE FROM worker WHERE id IN ("]
  /// A bound for how long chance may take.
  private static let mostTurns = 30_000

  @Test("every statement that writes is among the random ones: a new one has its step", .timeLimit(.minutes(10)))
  func allWrites() async throws {
    var writes = RandomWrites(random: SeededRandom(for: "all writes"))
    var missing = Set(try SQLText.all().filter(\.isWrite)).filter { write in
      !Self.ofLimits.contains { write.text.hasPrefix($0) }
    }
    #expect(missing.count > 60, "\(missing.count)")
    var seen: Set<String> = []
    try await temporary.with { ledger async throws in
      for _ in 0..<Self.mostTurns where !missing.isEmpty {
        let changes = try? ledger.record({ try writes.turn($0) }).changes
        for write in changes?.writes ?? [] where seen.insert(write.sql).inserted {
          missing = missing.filter { !$0.mayBe(write.sql) }
        }
      }
    }
    #expect(missing.map { "\($0.file): \($0.text)" }.sorted() == [])
  }

  @Test("a turn that changes nothing is none, and neither is one that fails")
  func nothing() async throws {
    try await withCopy { ledger, copy in
      #expect(try ledger.record { try $0.removeVoid(ReleaseID(job: JobID(), number: 1)) }.changes == nil)
      #expect(try ledger.record { try $0.counts() }.changes == nil)
      #expect(throws: LedgerError.self) {
        try ledger.record { transaction in
          _ = try transaction.acceptNew(.queued())
          throw LedgerError.failed("no")
        }
      }
      let changes = try #require(try ledger.record { try $0.acceptNew(.queued()) }.changes)
      #expect(changes.turn == 1)
      #expect(try copy.apply(changes))
      #expect(try difference() == nil)
    }
  }

  @Test("what a statement does that fails, and is not heeded, is not in it")
  func failedStatement() async throws {
    try await withCopy { ledger, copy in
      let changes = try ledger.record { transaction in
        let number = try transaction.acceptNew(.queued())
        let again = Result {
          try transaction.statements.run("INSERT INTO payload (job, bytes) VALUES (?, NULL)", number)
        }
        #expect(throws: (any Error).self) { try again.get() }
      }.changes
      #expect(try copy.apply(try #require(changes)))
      #expect(try difference() == nil)
    }
  }

  @Test("one that comes twice changes nothing, and one before which another is missing is refused")
  func order() async throws {
    try await withCopy { ledger, copy in
      let sets = try (0..<3).map { _ in try #require(try ledger.record { try $0.acceptNew(.queued()) }.changes) }
      #expect(try copy.apply(sets[0]))
      #expect(try copy.apply(sets[0]) == false)
      let error = #expect(throws: LedgerError.self) { try copy.apply(sets[2]) }
      #expect(error.map { "\($0)".contains("turn 3 cannot follow turn 1") } == true, "\(String(describing: error))")
      #expect(try copy.apply(sets[1]))
      #expect(try copy.apply(sets[2]))
      #expect(try difference() == nil)
    }
  }

  @Test("what was written without being recorded is missing in a copy, and that is noticed, also after a restart")
  func unrecorded() async throws {
    func accept(_ ledger: Ledger) throws -> ChangeSet? { try ledger.record { try $0.acceptNew(.queued()) }.changes }
    try await withCopy { ledger, copy in
      let first = try #require(try accept(ledger))
      #expect(try copy.apply(first))
      for _ in 0..<3 { try ledger.write { _ = try $0.acceptNew(.queued()) } }
      let later = try #require(try accept(ledger))
      #expect(later.turn == first.turn + 4)
      #expect(throws: LedgerError.self) { try copy.apply(later) }
      try ledger.close()
      let reopened = try temporary.open()
      try reopened.write { _ = try $0.acceptNew(.queued()) }
      let last = try #require(try accept(reopened))
      #expect(last.turn == later.turn + 2)
      try reopened.close()
    }
  }

  @Test("one that finds nothing to change is refused as a whole: the file is no copy")
  func noCopy() async throws {
    try await withCopy { ledger, copy in
      let changes = try #require(
        try ledger.record { transaction in
          let number = try transaction.acceptNew(.queued())
          try transaction.end(number)
          try transaction.markSent(upTo: 1)
        }.changes)
      let number = try #require(changes.writes.firstIndex { $0.sql.contains("INSERT INTO job") })
      var foreign = changes
      foreign.writes.remove(at: number)
      #expect(throws: LedgerError.self) { try copy.apply(foreign) }
      #expect(try copy.write { try $0.lastSeq() } == 0)
      #expect(try copy.apply(changes))
    }
  }
}

extension LedgerTransaction {
  fileprivate func turns() throws -> Int64 { try statements.first("SELECT turn FROM ledger") ?? 0 }
}
