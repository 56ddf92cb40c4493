import Teller
import Testing

@testable import BankExample

@Suite("The opening")
struct OpeningTests {
  @Test("the plan has nine steps, handed in in another order than their ranks")
  func plan() throws {
    var generator = SeededGenerator(seed: 7)
    let plan = try Opening.plan(at: Pace(), using: &generator)
    let ranks = plan.steps.map(\.rank)
    #expect(ranks.sorted() == Array(1...9))
    #expect(ranks != ranks.sorted())
    #expect(plan.steps.sorted { $0.rank < $1.rank }.map(\.name) == Opening.steps)
  }
}
