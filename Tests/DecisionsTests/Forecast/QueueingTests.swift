import Decisions
import Testing

@Suite("The wait of a job, by the formulas of queueing theory")
struct QueueingTests {
  /// Values of published tables of Erlang's second formula, and those that can be written down.
  static let known: [(tellers: Int, load: Double, probability: Double)] = [
    (1, 0.5, 0.5), (1, 0.9, 0.9), (2, 1, 1.0 / 3), (2, 1.5, 0.642857), (3, 2, 4.0 / 9), (5, 4, 0.554113),
    (10, 8, 0.409180), (100, 90, 0.216943),
  ]

  @Test("the probability to wait is that of the tables", arguments: known)
  func table(tellers: Int, load: Double, probability: Double) {
    #expect(abs(Queueing.waitProbability(tellers: tellers, load: load) - probability) < 0.000_01)
  }

  @Test(
    "nobody waits without load, and everybody with as many arrivals as can be served; 10,000 tellers are no trouble")
  func limits() {
    #expect(Queueing.waitProbability(tellers: 3, load: 0) == 0)
    #expect(Queueing.waitProbability(tellers: 3, load: 3) == 1)
    #expect(Queueing.waitProbability(tellers: 3, load: 30) == 1)
    let many = Queueing.waitProbability(tellers: 10_000, load: 9_900)
    #expect(many > 0 && many < 1)
  }

  @Test("with one teller the mean wait is that of Pollaczek and Khinchine")
  func oneTeller() throws {
    // ρ s / (1 − ρ) × (1 + Cs²) / 2, with ρ = 0.8, s = 2
    for variation in [0.0, 1, 4] {
      let wait = try #require(
        Queueing.meanWait(tellers: 1, arrivals: 0.4, service: 2, variation: (1, variation)))
      #expect(abs(wait - 0.8 * 2 / 0.2 * (1 + variation) / 2) < 0.000_001)
    }
  }

  @Test("above the capacity there is no mean wait; without arrivals it is 0")
  func outside() {
    #expect(Queueing.meanWait(tellers: 2, arrivals: 1, service: 2, variation: (1, 1)) == nil)
    #expect(Queueing.meanWait(tellers: 2, arrivals: 0, service: 2, variation: (1, 1)) == 0)
  }
}
