import Foundation
import Testing

@testable import JobModel

@Suite("Plans as data")
struct PlanDefinitionTests {
  @Test("a step and an event are found by their names")
  func found() {
    let (login, push) = (PlanStep(name: "login", kind: "k", rank: 2), PlanEvent("push", rank: 1))
    let plan = PlanDefinition(
      name: "opening", department: "init", steps: [PlanStep(name: "check", kind: "k", rank: 1), login],
      events: [PlanEvent("mail", rank: 1), push])
    #expect(plan.step("login") == login && plan.step("log") == nil)
    #expect(plan.event("push") == push && plan.event("pull") == nil)
  }

  @Test("an event without a kind has a kind of its own name")
  func kinds() {
    #expect(PlanEvent("push", rank: 1).kind == "push")
    #expect(PlanEvent("push", rank: 1, kind: "open-push").kind == "open-push")
  }

  @Test("the rules of a plan are kept without what its steps carry, and come back as they were")
  func rules() throws {
    let login = PlanStep(
      name: "login", kind: "k", rank: 4, payload: Array("7".utf8), isRequired: false,
      reentry: Reentry(on: "expired", from: "user", atMost: 2))
    let plan = PlanDefinition(
      name: "opening", department: "init", steps: [PlanStep(name: "user", kind: "k", rank: 2), login],
      events: [PlanEvent("push", rank: 1, whenOpen: .announce)], gates: ["deposit"])
    let rules = PlanRules(plan)
    #expect(try JSONDecoder().decode(PlanRules.self, from: JSONEncoder().encode(rules)) == rules)
    #expect(rules.hasReentry && rules.step("login")?.isRequired == false && rules.step("user")?.reentry == nil)
    #expect(rules.events == plan.events && rules.gates == plan.gates)
    #expect(!PlanRules(PlanDefinition(department: "init", steps: [login.withoutReentry])).hasReentry)
  }

  @Test("a step is released with a priority of 10 minus its rank, never below 0")
  func priority() {
    #expect([1, 2, 9, 10, 11, 1_000_000].map { Priority(rank: $0).level } == [9, 8, 1, 0, 0, 0])
  }
}

extension PlanStep {
  fileprivate var withoutReentry: PlanStep {
    var step = self
    step.reentry = nil
    return step
  }
}
