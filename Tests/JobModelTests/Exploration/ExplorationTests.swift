import Testing

@testable import JobModel

@Suite("The protocol, every interleaving", .serialized)
struct ExplorationTests {
  @Test("with every rule, one fault at any moment neither runs a job twice nor loses it")
  func oneFault() {
    let clock = ContinuousClock()
    var result = Exploration()
    let took = clock.measure { result = Explorer.explore(faults: 1) }
    print("explored \(result.states) states in \(took)")
    #expect(result.doubleRun == nil)
    #expect(result.deadEnds == 0)
    #expect(result.deadEnd == nil)
    #expect(result.cutShort == 0)
    #expect(!result.isIncomplete)
  }

  @Test("without a rule, two faults run the job twice or lose it", arguments: Rule.allCases)
  func withoutRule(_ rule: Rule) {
    let clock = ContinuousClock()
    var result = Exploration()
    let took = clock.measure {
      for faults in 0...2 {
        result = Explorer.explore(faults: faults, without: [rule], with: Explorer(maxToken: 4, stateLimit: 400_000))
        if result.doubleRun != nil || result.deadEnds > 0 { print("\(faults) faults"); break }
      }
    }
    print(
      "without \(rule): \(result.states) states in \(took), double: \(result.doubleRun ?? []) dead: \(result.deadEnds) \(result.deadEnd ?? [])"
    )
    #expect(result.doubleRun != nil || result.deadEnds > 0)
  }
}
