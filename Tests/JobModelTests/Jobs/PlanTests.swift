import Testing

@testable import JobModel

@Suite("Plan documents")
struct PlanTests {
  func plan(_ steps: PlanStep...) -> PlanDocument { PlanDocument(department: "init", steps: steps) }

  @Test("a plan without steps, or with too many, has a problem")
  func stepCount() {
    #expect(plan().problem?.contains("at least one step") == true)
    let steps = (0...PlanSubmission.stepLimit).map { PlanStep(name: "s\($0)", kind: "k", rank: 1) }
    #expect(PlanDocument(department: "d", steps: steps).problem?.contains("at most 1000") == true)
    #expect(PlanDocument(department: "d", steps: steps.dropLast()).problem == nil)
  }

  @Test("two steps of one name are a problem that names it")
  func twoNames() {
    let step = PlanStep(name: "login", kind: "k", rank: 1)
    #expect(plan(step, step).problem?.contains("\"login\"") == true)
  }

  @Test("a step's name is neither empty nor longer than its limit")
  func nameLength() {
    #expect(plan(PlanStep(name: "", kind: "k", rank: 1)).problem != nil)
    let longest = String(repeating: "x", count: PlanStep.longestName)
    #expect(plan(PlanStep(name: longest, kind: "k", rank: 1)).problem == nil)
    #expect(plan(PlanStep(name: longest + "x", kind: "k", rank: 1)).problem != nil)
  }

  @Test("ranks and attempts outside their limits are problems", arguments: [-1, 0, 1_000_001])
  func limits(_ number: Int) {
    #expect(plan(PlanStep(name: "s", kind: "k", rank: number)).problem?.contains("rank \(number)") == true)
    let attempts = PlanStep(name: "s", kind: "k", rank: 1, attempts: number)
    #expect(plan(attempts).problem?.contains("attempts \(number)") == true)
  }

  @Test("a step is released with a priority of 10 minus its rank, never below 0")
  func priority() {
    #expect([1, 2, 9, 10, 11, 1_000_000].map { Priority(rank: $0).level } == [9, 8, 1, 0, 0, 0])
  }
}
