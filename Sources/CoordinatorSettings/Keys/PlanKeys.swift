import Decisions
import JobModel
import Yams

/// A plan as it is read: what can be used of it, and where each part stands.
struct PlanDraft {
  enum Keys: String, SettingsKey {
    case department
    case startOn = "start_on"
    case gates, steps, events
  }

  let name: PlanName
  /// Nil: it is not there, or cannot be used. That is noted.
  let department: Department?
  let events: [EventDraft]
  /// The departments that can be read, with their places.
  let gates: [(department: Department, place: Node)]
  private let block: SettingsBlock<Keys>
  private let startOn: PlanSettings.StartOn?
  /// Nil: they are not there, or are no list. That is noted.
  private let steps: [StepDraft]?
  private let hasMistakes: Bool

  /// Reads every key; `department:` and `steps:` must be there.
  init(
    _ name: PlanName, _ block: SettingsBlock<Keys>, _ departments: KnownDepartments, _ kinds: KnownKinds,
    _ mistakes: inout Mistakes
  ) {
    (self.name, self.block) = (name, block)
    let before = mistakes.count
    block.require([.department, .steps], of: "plan \"\(name)\"", &mistakes)
    department = block.name(.department, &mistakes) { Department($0) }
    departments.check(department, at: block[.department], &mistakes)
    departments.checkOrder(of: department, at: block[.department], &mistakes)
    startOn = block.word(.startOn, of: PlanSettings.StartOn.self, &mistakes)
    gates = PlanDraft.gates(block, departments, &mistakes)
    steps = PlanDraft.steps(block, kinds, &mistakes)
    let events = block.list(.events, of: "events", atMost: PlanDefinition.eventLimit, &mistakes) ?? []
    self.events = events.compactMap { EventDraft($0, kinds, &mistakes) }
    hasMistakes = mistakes.count > before
  }

  private static func gates(
    _ block: SettingsBlock<Keys>, _ departments: KnownDepartments, _ mistakes: inout Mistakes
  ) -> [(department: Department, place: Node)] {
    let elements = block.list(.gates, of: "departments", atMost: PlanDefinition.gateLimit, &mistakes) ?? []
    return elements.compactMap { element in
      block.department(element, of: .gates, departments, &mistakes).map { ($0, element) }
    }
  }

  private static func steps(
    _ block: SettingsBlock<Keys>, _ kinds: KnownKinds, _ mistakes: inout Mistakes
  ) -> [StepDraft]? {
    guard block[.steps] != nil else { return nil }
    var room = PayloadNode.largest
    return block.list(.steps, of: "steps", atMost: PlanDefinition.stepLimit, &mistakes)?.map {
      StepDraft($0, kinds, room: &room, &mistakes)
    }
  }
}

// MARK: - What is wrong with the plan as a whole

extension PlanDraft {
  /// The plan, when nothing is wrong with it.
  func settings(_ mistakes: inout Mistakes) -> PlanSettings? {
    let problems = problems
    for problem in problems { note(problem, &mistakes) }
    if hasMistakes || !problems.isEmpty { return nil }
    return PlanSettings(definition(.first), startOn: startOn ?? .command)
  }

  private var problems: [PlanProblem] {
    let last = Set(definition(.last).problems)
    return definition(.first).problems.filter(last.contains)
  }

  private func definition(_ standIn: PlanStandIn) -> PlanDefinition {
    let steps = (steps ?? []).enumerated().map { $1.step(standIn, at: $0, reentry: reentry(of: $1)) }
    return PlanDefinition(
      name: name, department: department ?? standIn.department, steps: steps, events: events.map { $0.event(standIn) },
      gates: gates.map(\.department))
  }

  /// As long as the name of a step is not known, it may be the one that is meant.
  private func reentry(of step: StepDraft) -> Reentry? {
    let names = (steps ?? []).map(\.name)
    guard let reentry = step.reentry?.reentry, names.contains(reentry.from) || !names.contains(nil) else { return nil }
    return reentry
  }

  private func note(_ problem: PlanProblem, _ mistakes: inout Mistakes) {
    let (place, member): (Node?, String) =
      switch problem.place {
      case .plan(Keys.steps.rawValue): (steps == nil ? nil : block[.steps], Keys.steps.rawValue)
      case .plan(let member): (Keys(rawValue: member).flatMap { block[$0] } ?? block.node, member)
      case .step(let index, let member): (steps?[index].place(of: member), member)
      case .event(let index, let member): (events[index].place(of: member), member)
      case .gate(let index): (gates[index].place, Keys.gates.rawValue)
      }
    if let place { mistakes.note(place, "\"\(member)\": \(problem.text)") }
  }
}
