import Foundation
import LedgerSupport
import TestSupport
import Testing

@testable import Bookkeeping
@testable import BooksSupport
@testable import Ledger

/// What a coordinator does does not become slower by what its ledger has of other things: of jobs that have ended or wait
/// elsewhere, of their notifications, of events, actions and operations.
@Suite("What statements cost")
struct StatementCostTests {
  private static let rows = (few: 800, many: 6_400)
  private static let steps = SeededRandom.length(300, long: 1_500)

  /// What counts, or reads, all there is of something, and why it may. By the first words.
  private static let mayGrow: [(text: String, reason: String)] = []
  /// What did not run, and why not. By the first words.
  private static let didNotRun: [(text: String, reason: String)] = []

  private func costs(rows: Int, _ seed: UInt64) async throws -> StatementCosts {
    let folder = try TemporaryFolder()
    try FilledLedger.make(at: folder.url.appendingPathComponent("teller.ledger").path, rows: rows)
    var state = try await RandomBooks(seed: seed, in: folder)
    for step in 0..<Self.steps {
      _ = try await state.step()
      if step % 60 == 59 { try await state.askEverything() }
    }
    return try StatementCosts(of: state.books.ledger)
  }

  @Test("none reads more where there is more of what it does not ask for", .timeLimit(.minutes(10)))
  func growth() async throws {
    let seed = SeededRandom(for: "statement costs").seed
    let (few, many) = (try await costs(rows: Self.rows.few, seed), try await costs(rows: Self.rows.many, seed))
    let grown = many.steps.compactMap { sql, steps -> String? in
      guard let before = few.steps[sql], steps > 3 * before, steps - before > 1_000 else { return nil }
      let text = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      if Self.mayGrow.contains(where: { text.hasPrefix($0.text) }) { return nil }
      return "\(Int(before)) steps, then \(Int(steps)): \(text) [\(many.plans[sql] ?? "")]"
    }
    #expect(grown.sorted() == [])
    let ran = Array(many.steps.keys)
    let missing = try SQLText.all().filter(\.isStatement).filter { text in
      !ran.contains(where: text.mayBe) && !Self.didNotRun.contains { text.text.hasPrefix($0.text) }
    }
    #expect(missing.map { "\($0.file): \($0.text)" }.sorted() == [], "has every statement run?")
  }
}
