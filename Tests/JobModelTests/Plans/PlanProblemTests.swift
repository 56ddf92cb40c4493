import Testing

@testable import JobModel

/// Each rule of a plan is broken alone: then the plan has that one problem, at that place.
@Suite("Problems of a plan")
struct PlanProblemTests {
  private let user = PlanStep(name: "user", kind: "k", rank: 2)

  private func plan(
    _ steps: PlanStep..., name: PlanName? = "opening", events: [PlanEvent] = [], gates: [Department] = []
  ) -> PlanDefinition {
    PlanDefinition(name: name, department: "init", steps: steps, events: events, gates: gates)
  }

  private func expect(
    _ plan: PlanDefinition, _ place: PlanProblem.Place, _ text: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(plan.problems == [PlanProblem(place, text)], sourceLocation: sourceLocation)
  }

  @Test("a plan that keeps every rule has none, whatever the order of its steps")
  func good() {
    let login = PlanStep(
      name: "login", kind: "k", rank: 4, isRequired: false, attempts: 100, timeout: .milliseconds(1),
      startWithin: .seconds(1), reentry: Reentry(on: "expired", from: "user", atMost: 100))
    let events = [PlanEvent("push", rank: 1), PlanEvent("mail", rank: 1_000_000, kind: "k", whenOpen: .announce)]
    let plan = plan(login, user, events: events, gates: ["deposit", "loan"])
    #expect(plan.problems == [] && plan.problem == nil)
    #expect(self.plan(user, name: nil).problems == [])
  }

  @Test("too few steps, and too many steps, events and gates, are problems of the plan")
  func counts() {
    expect(plan(), .plan("steps"), "a plan needs at least one step")
    let steps = (0...PlanDefinition.stepLimit).map { PlanStep(name: "s\($0)", kind: "k", rank: 1) }
    expect(
      PlanDefinition(department: "init", steps: steps), .plan("steps"), "a plan has at most 1000 steps")
    let events = (0...PlanDefinition.eventLimit).map { PlanEvent(EventName("e\($0)") ?? "e", rank: 1) }
    expect(plan(user, events: events), .plan("events"), "a plan has at most 100 events")
    let gates = (0...PlanDefinition.gateLimit).map { Department("d\($0)") ?? "d" }
    expect(plan(user, gates: gates), .plan("gates"), "a plan has at most 100 gates")
  }

  @Test("a plan with events or gates needs a name")
  func name() {
    let text = "a plan with events or gates needs a name"
    expect(plan(user, name: nil, events: [PlanEvent("push", rank: 1)]), .plan("name"), text)
    expect(plan(user, name: nil, gates: ["deposit"]), .plan("name"), text)
  }

  @Test("a step's name has its length, and no other step has it")
  func stepNames() {
    let text = "a step's name has 1–200 bytes"
    expect(plan(user, PlanStep(name: "", kind: "k", rank: 1)), .step(1, "name"), text)
    let longest = String(repeating: "é", count: 100)
    #expect(plan(PlanStep(name: longest, kind: "k", rank: 1)).problems == [])
    expect(plan(PlanStep(name: longest + "x", kind: "k", rank: 1)), .step(0, "name"), text)
    expect(plan(user, user), .step(1, "name"), "another step has that name")
  }

  @Test("a step's rank, attempts and times are within their limits")
  func stepLimits() {
    for rank in [-1, 0, 1_000_001] {
      expect(
        plan(PlanStep(name: "s", kind: "k", rank: rank)), .step(0, "rank"), "rank \(rank) is not 1–1000000")
    }
    for attempts in [-1, 0, 101] {
      let step = PlanStep(name: "s", kind: "k", rank: 1, attempts: attempts)
      expect(plan(step), .step(0, "attempts"), "attempts \(attempts) is not 1–100")
    }
    for (timeout, written) in [(Duration.zero, "0ms"), (.seconds(604_801), "604801s")] {
      let step = PlanStep(name: "s", kind: "k", rank: 1, timeout: timeout)
      expect(plan(step), .step(0, "timeout"), "timeout \(written) is not between 1ms and 7d")
    }
    for (wait, written) in [(Duration.zero, "0ms"), (Submission.longestWait + .seconds(1), "316224001s")] {
      let step = PlanStep(name: "s", kind: "k", rank: 1, startWithin: wait)
      expect(plan(step), .step(0, "start_within"), "start_within \(written) is not between 1ms and ten years")
    }
  }

  private func returning(to from: String, on code: String = "expired", atMost: Int = 1, rank: Int = 4) -> PlanStep {
    PlanStep(name: "login", kind: "k", rank: rank, reentry: Reentry(on: code, from: from, atMost: atMost))
  }

  @Test("a re-entry has a code, and a number within its limits")
  func reentryLimits() {
    let code = "the code of a re-entry has 1–200 bytes"
    expect(plan(user, returning(to: "user", on: "")), .step(1, "reenter"), code)
    let longest = String(repeating: "c", count: 200)
    #expect(plan(user, returning(to: "user", on: longest)).problems == [])
    expect(plan(user, returning(to: "user", on: longest + "c")), .step(1, "reenter"), code)
    for times in [-1, 0, 101] {
      expect(
        plan(user, returning(to: "user", atMost: times)), .step(1, "reenter"),
        "it may re-enter 1–100 times, not \(times)")
    }
  }

  @Test("a re-entry leads to a required step of the plan that comes before")
  func reentrySteps() {
    expect(
      plan(user, returning(to: "usr")), .step(1, "reenter"),
      "there is no step \"usr\" to re-enter from; did you mean \"user\"?")
    expect(
      plan(user, returning(to: "login")), .step(1, "reenter"),
      "a step does not re-enter from itself: `attempts` says how often it is tried")
    for rank in [1, 2] {
      expect(
        plan(user, returning(to: "user", rank: rank)), .step(1, "reenter"),
        "it re-enters from \"user\" of rank 2, which is not before rank \(rank)")
    }
    let optional = PlanStep(name: "user", kind: "k", rank: 2, isRequired: false)
    expect(
      plan(optional, returning(to: "user")), .step(1, "reenter"),
      "it re-enters from \"user\", which is optional: make that step required")
  }

  @Test("an event has a name of its own, and a rank within the limits")
  func events() {
    let push = PlanEvent("push", rank: 5)
    expect(plan(user, events: [push, push]), .event(1, "name"), "another event has that name")
    for rank in [-1, 0, 1_000_001] {
      expect(
        plan(user, events: [push, PlanEvent("mail", rank: rank)]), .event(1, "rank"), "rank \(rank) is not 1–1000000")
    }
  }

  @Test("a gate is named once, and is not the plan's own department")
  func gates() {
    expect(plan(user, gates: ["loan", "deposit", "loan"]), .gate(2), "gate \"loan\" is named twice")
    expect(
      plan(user, gates: ["loan", "init"]), .gate(1),
      "the plan itself runs in \"init\": behind its own gate it would wait for ever")
  }

  @Test("all problems are named at once, each with its step or event, and no more than eight")
  func several() {
    let broken = PlanStep(
      name: "login", kind: "k", rank: 0, attempts: 0, reentry: Reentry(on: "", from: "usr", atMost: 0))
    let plan = plan(
      user, broken, name: nil, events: [PlanEvent("push", rank: 0)], gates: ["init"])
    #expect(
      plan.problem == """
        a plan with events or gates needs a name; step "login": rank 0 is not 1–1000000; \
        step "login": attempts 0 is not 1–100; step "login": the code of a re-entry has 1–200 bytes; \
        step "login": it may re-enter 1–100 times, not 0; \
        step "login": there is no step "usr" to re-enter from; did you mean "user"?; \
        event "push": rank 0 is not 1–1000000; \
        the plan itself runs in "init": behind its own gate it would wait for ever
        """)
    var more = plan
    more.gates.append("init")
    #expect(more.problem?.hasSuffix("; and 1 more") == true, "\(more.problem ?? "")")
  }
}
