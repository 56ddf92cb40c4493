import TestSupport
import Testing

@testable import Decisions
@testable import JobModel

@Suite("how tellers are shared out")
struct TellerSharesTests {
  @Test("without jobs in the queues of kinds all serve the department")
  func none() {
    #expect(TellerShares.shares(of: 4, jobs: 9, beside: [:], turn: 1).isEmpty)
    #expect(TellerShares.shares(of: 4, jobs: 9, beside: ["a": 0], turn: 1).isEmpty)
    #expect(TellerShares.shares(of: 0, jobs: 9, beside: ["a": 1], turn: 1).isEmpty)
  }

  @Test(
    "each queue has one teller at least, the rest follow the jobs, and an empty department leaves its own to others")
  func proportion() {
    #expect(TellerShares.shares(of: 10, jobs: 100, beside: ["a": 1], turn: 1) == ["a": 1])
    #expect(TellerShares.shares(of: 10, jobs: 50, beside: ["a": 50], turn: 1) == ["a": 5])
    #expect(TellerShares.shares(of: 2, jobs: 1, beside: ["a": 1_000], turn: 1) == ["a": 1])
    #expect(TellerShares.shares(of: 4, jobs: 0, beside: ["a": 1], turn: 1) == ["a": 4])
    #expect(TellerShares.shares(of: 5, jobs: 0, beside: ["a": 9, "b": 1], turn: 1) == ["a": 4, "b": 1])
  }

  @Test("fewer tellers than queues take turns, so that each is served again and again")
  func turns() {
    let served = (0..<4).map { TellerShares.shares(of: 1, jobs: 5, beside: ["a": 5], turn: $0) }
    #expect(served == [["a": 1], [:], ["a": 1], [:]])
    let three = (0..<3).map { TellerShares.shares(of: 2, jobs: 5, beside: ["a": 5, "b": 1], turn: $0) }
    #expect(three == [["a": 1, "b": 1], ["b": 1], ["a": 1]])
  }

  @Test("never more than there are tellers, and within as many turns as there are queues nobody is left out")
  func invariants() {
    var random = SeededRandom(for: "teller shares")
    for _ in 0..<2_000 {
      let tellers = Int.random(in: 1...12, using: &random)
      let jobs = Int.random(in: 0...9, using: &random)
      let beside = Dictionary(
        uniqueKeysWithValues: (0..<Int.random(in: 1...5, using: &random)).map {
          (JobKind("k\($0)") ?? "k", Int.random(in: 0...9, using: &random))
        })
      let kinds = Set(beside.filter { $0.value > 0 }.keys)
      var (served, servesDepartment) = (Set<JobKind>(), false)
      for turn in 0...kinds.count {
        let shares = TellerShares.shares(of: tellers, jobs: jobs, beside: beside, turn: turn)
        let sum = shares.values.reduce(0, +)
        #expect(sum <= tellers && shares.values.allSatisfy { $0 > 0 } && Set(shares.keys).isSubset(of: kinds))
        served.formUnion(shares.keys)
        if sum < tellers { servesDepartment = true }
      }
      #expect(served == kinds)
      #expect(servesDepartment || jobs == 0, "\(tellers) tellers, \(jobs) jobs, \(beside)")
    }
  }
}
