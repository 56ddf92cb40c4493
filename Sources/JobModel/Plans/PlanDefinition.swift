/// A plan as data: its steps by rank, the events that it receives, and the departments that wait until it is open. The
/// same in `teller.yaml`, in Swift and on the wire.
package struct PlanDefinition: Hashable, Sendable {
  /// Nil: the plan only runs. Only a plan with a name stays open, has gates and receives events.
  package var name: PlanName?
  /// An ordered department.
  package var department: Department
  /// In the order they were written, which says nothing about their order.
  package var steps: [PlanStep]
  package var events: [PlanEvent]
  /// The departments whose jobs are held until the plan is open.
  package var gates: [Department]

  package init(
    name: PlanName? = nil, department: Department, steps: [PlanStep], events: [PlanEvent] = [],
    gates: [Department] = []
  ) {
    self.name = name
    self.department = department
    self.steps = steps
    self.events = events
    self.gates = gates
  }

  package static let stepLimit = 1_000
  package static let eventLimit = 100
  package static let gateLimit = 100

  package func step(_ name: String) -> PlanStep? { steps.first { $0.name.isExactly(name) } }
  package func event(_ name: EventName) -> PlanEvent? { events.first { $0.name == name } }
}

/// A mistake in a plan, with its place in the plan.
package struct PlanProblem: Hashable, Sendable {
  /// Where the mistake is: the name of a member, in the plan or in one of its steps or events.
  package enum Place: Hashable, Sendable {
    case plan(String)
    case step(Int, String)
    case event(Int, String)
    case gate(Int)
  }

  package var place: Place
  /// For people; without the name of the step or the event.
  package var text: String

  package init(_ place: Place, _ text: String) { (self.place, self.text) = (place, text) }
}

extension PlanDefinition {
  /// Everything that is wrong with the plan in itself; nothing that depends on a coordinator's configuration.
  package var problems: [PlanProblem] {
    let steps = steps.indices.flatMap(problemsOfStep)
    return problemsAsAWhole + steps + events.indices.flatMap(problemsOfEvent) + gates.indices.flatMap(problemsOfGate)
  }

  /// How many problems ``problem`` names.
  private static let named = 8

  /// All that is wrong, on one line; nil when nothing is.
  package var problem: String? {
    let problems = problems
    guard !problems.isEmpty else { return nil }
    let more = problems.count - PlanDefinition.named
    let texts = problems.prefix(PlanDefinition.named).map(described) + (more > 0 ? ["and \(more) more"] : [])
    return texts.joined(separator: "; ")
  }

  /// A problem with the name of its step or event.
  package func described(_ problem: PlanProblem) -> String {
    switch problem.place {
    case .plan, .gate: problem.text
    case .step(let index, _): "step \"\(steps[index].name.prefix(PlanStep.longestName))\": \(problem.text)"
    case .event(let index, _): "event \"\(events[index].name)\": \(problem.text)"
    }
  }

  private var problemsAsAWhole: [PlanProblem] {
    var problems: [PlanProblem] = []
    if steps.isEmpty { problems.append(PlanProblem(.plan("steps"), "a plan needs at least one step")) }
    if steps.count > PlanDefinition.stepLimit {
      problems.append(PlanProblem(.plan("steps"), "a plan has at most \(PlanDefinition.stepLimit) steps"))
    }
    if events.count > PlanDefinition.eventLimit {
      problems.append(PlanProblem(.plan("events"), "a plan has at most \(PlanDefinition.eventLimit) events"))
    }
    if gates.count > PlanDefinition.gateLimit {
      problems.append(PlanProblem(.plan("gates"), "a plan has at most \(PlanDefinition.gateLimit) gates"))
    }
    if name == nil, !events.isEmpty || !gates.isEmpty {
      problems.append(PlanProblem(.plan("name"), "a plan with events or gates needs a name"))
    }
    return problems
  }

  private func problemsOfStep(_ index: Int) -> [PlanProblem] {
    let step = steps[index]
    var problems: [PlanProblem] = []
    func note(_ member: String, _ text: String) { problems.append(PlanProblem(.step(index, member), text)) }
    if step.name.isEmpty || step.name.utf8.count > PlanStep.longestName {
      note("name", "a step's name has 1–\(PlanStep.longestName) bytes")
    }
    if steps.prefix(index).contains(where: { $0.name.isExactly(step.name) }) {
      note("name", "another step has that name")
    }
    if !Submission.rankLimits.contains(step.rank) { note("rank", "rank \(step.rank) is not 1–1000000") }
    if let attempts = step.attempts, !Submission.attemptLimits.contains(attempts) {
      note("attempts", "attempts \(attempts) is not 1–100")
    }
    if let timeout = step.timeout, !Submission.timeoutLimits.contains(timeout) {
      note("timeout", "timeout \(timeout.written) is not between 1ms and 7d")
    }
    if let wait = step.startWithin, !(.milliseconds(1)...Submission.longestWait).contains(wait) {
      note("start_within", "start_within \(wait.written) is not between 1ms and ten years")
    }
    if let reentry = step.reentry { for text in self.problems(of: reentry, in: step) { note("reenter", text) } }
    return problems
  }

  private func problems(of reentry: Reentry, in step: PlanStep) -> [String] {
    var problems: [String] = []
    if reentry.code.isEmpty || reentry.code.utf8.count > PlanStep.longestName {
      problems.append("the code of a re-entry has 1–\(PlanStep.longestName) bytes")
    }
    if !Reentry.limits.contains(reentry.atMost) {
      problems.append("it may re-enter 1–100 times, not \(reentry.atMost)")
    }
    guard let from = self.step(reentry.from) else {
      let hint = Suggestion.question(for: reentry.from, in: steps.map(\.name))
      return problems + ["there is no step \"\(reentry.from.prefix(PlanStep.longestName))\" to re-enter from\(hint)"]
    }
    if from.name.isExactly(step.name) {
      problems.append("a step does not re-enter from itself: `attempts` says how often it is tried")
    } else if from.rank >= step.rank {
      problems.append("it re-enters from \"\(from.name)\" of rank \(from.rank), which is not before rank \(step.rank)")
    }
    if !from.isRequired {
      problems.append("it re-enters from \"\(from.name)\", which is optional: make that step required")
    }
    return problems
  }

  private func problemsOfEvent(_ index: Int) -> [PlanProblem] {
    let event = events[index]
    var problems: [PlanProblem] = []
    if events.prefix(index).contains(where: { $0.name == event.name }) {
      problems.append(PlanProblem(.event(index, "name"), "another event has that name"))
    }
    if !Submission.rankLimits.contains(event.rank) {
      problems.append(PlanProblem(.event(index, "rank"), "rank \(event.rank) is not 1–1000000"))
    }
    return problems
  }

  private func problemsOfGate(_ index: Int) -> [PlanProblem] {
    let gate = gates[index]
    if gate == department {
      let text = "the plan itself runs in \"\(gate)\": behind its own gate it would wait for ever"
      return [PlanProblem(.gate(index), text)]
    }
    return gates.prefix(index).contains(gate) ? [PlanProblem(.gate(index), "gate \"\(gate)\" is named twice")] : []
  }
}
