import Foundation
import TestSupport
import Testing

@testable import BooksSupport

@Suite("Random plans", .serialized)
struct RandomPlanTests {
  /// `TELLER_TEST_PLANS=1000` plays so many.
  static let plans = ProcessInfo.processInfo.environment["TELLER_TEST_PLANS"].flatMap { Int($0) } ?? 30
  private static let movesOfOne = 70

  @Test("the books say of random plans, after each thing that happens, what the pure values say")
  func againstPureValues() async throws {
    var (random, differences, counts) = (SeededRandom(for: "random plans"), 0, PlanCounts())
    for number in 0..<Self.plans {
      let game = try await PlanGame(RandomPlan(SeededRandom(seed: random.next())))
      guard let difference = try await game.play(moves: Self.movesOfOne, &counts) else { continue }
      differences += 1
      Issue.record("plan \(number): \(difference)")
      if differences == 3 { break }
    }
    print("\(Self.plans) random plans, \(differences) differences: \(counts.all.sorted { $0.key < $1.key })")
    #expect(differences > 0 || counts.missing.isEmpty)
  }
}
