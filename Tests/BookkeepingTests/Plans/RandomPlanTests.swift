import Foundation
import TestSupport
import Testing

@testable import BooksSupport

@Suite("Random plans", .serialized)
struct RandomPlanTests {
  /// `TELLER_TEST_PLANS=1000` plays so many.
  static let plans = ProcessInfo.processInfo.environment["TELLER_TEST_PLANS"].flatMap { Int($0) } ?? 30
  /// Few plans may leave something out: then more are played, up to so many times as many.
  private static let patience = 20
  private static let movesOfOne = 70

  @Test("the books say of random plans, after each thing that happens, what the pure values say")
  func againstPureValues() async throws {
    var (random, played, differences, counts) = (SeededRandom(for: "random plans"), 0, 0, PlanCounts())
    while differences < 3, played < Self.plans || (!counts.missing.isEmpty && played < Self.plans * Self.patience) {
      let game = try await PlanGame(RandomPlan(SeededRandom(seed: random.next())))
      played += 1
      guard let difference = try await game.play(moves: Self.movesOfOne, &counts) else { continue }
      differences += 1
      Issue.record("plan \(played): \(difference)")
    }
    print("\(played) random plans, \(differences) differences: \(counts.all.sorted { $0.key < $1.key })")
    #expect(differences > 0 || counts.missing == [], "left out in \(played) plans")
  }
}
