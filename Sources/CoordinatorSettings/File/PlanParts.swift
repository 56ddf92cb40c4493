import Decisions
import JobModel
import Yams

/// The plans of the file, and what is wrong between them.
struct PlanParts {
  private(set) var plans: [PlanName: PlanSettings] = [:]
  /// In the order of the file.
  private let drafts: [PlanDraft]
  /// How many plans a file may have. By aliases a small file may hold many large ones.
  static let limit = 100

  init(
    _ block: SettingsBlock<FileKey>, _ departments: KnownDepartments, _ kinds: KnownKinds, _ mistakes: inout Mistakes
  ) {
    let entries = block.entries(.plans, &mistakes) ?? []
    if entries.count > PlanParts.limit {
      block.note(.plans, "there may be at most \(PlanParts.limit) plans, not \(entries.count)", &mistakes)
    }
    drafts = entries.prefix(PlanParts.limit).compactMap { entry in
      guard let name = PlanName(entry.name),
        let plan = SettingsBlock<PlanDraft.Keys>(entry.node, named: "\"\(name)\"", &mistakes)
      else { return nil }
      return PlanDraft(name, plan, departments, kinds, &mistakes)
    }
    for draft in drafts { plans[draft.name] = draft.settings(&mistakes) }
    checkEvents(&mistakes)
    checkGates(&mistakes)
  }

  /// An event names no plan: its name says which plan receives it.
  private func checkEvents(_ mistakes: inout Mistakes) {
    var receivers: [EventName: PlanName] = [:]
    for draft in drafts {
      for event in draft.events {
        let receiver = receivers[event.name] ?? draft.name
        receivers[event.name] = receiver
        if receiver == draft.name { continue }
        let problem = "plan \"\(receiver)\" receives an event \"\(event.name)\", too: rename one of them"
        mistakes.note(event.place, "\"name\": \(problem)")
      }
    }
  }

  /// Around a circle of gates no plan would begin.
  private func checkGates(_ mistakes: inout Mistakes) {
    let plans = drafts.compactMap(\.gated)
    for draft in drafts {
      guard let plan = draft.gated else { continue }
      for gate in draft.gates {
        guard let other = plan.plan(behind: gate.department, among: plans) else { continue }
        let place = "plan \"\(other)\" runs in \"\(gate.department)\""
        mistakes.note(gate.place, "\"gates\": \(place), and this plan waits for that one: both would wait for ever")
      }
    }
  }
}

extension PlanDraft {
  /// Nil: the file does not say in which department it runs.
  fileprivate var gated: GatedPlan? {
    department.map { GatedPlan(name, in: $0, gates: gates.map(\.department)) }
  }
}
