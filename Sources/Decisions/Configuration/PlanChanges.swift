import JobModel

extension PlanSettings {
  /// A payload is not shown: it may hold what is not everybody's business.
  func changes(to new: PlanSettings) -> [String] {
    let (old, plan) = (definition, new.definition)
    return SettingsChanges.value("department", old.department.name, plan.department.name)
      + SettingsChanges.value("start_on", startOn.rawValue, new.startOn.rawValue)
      + PlanSettings.parts("steps", old.namedSteps, plan.namedSteps) { $0.changes(to: $1) }
      + PlanSettings.parts("events", old.namedEvents, plan.namedEvents) { $0.changes(to: $1) }
      + (Set(old.gates) == Set(plan.gates) ? [] : SettingsChanges.value("gates", old.gateNames, plan.gateNames))
  }

  /// How many steps or events of a plan the text names.
  private static let named = 30

  /// The parts of a plan that are gone, new or different, as in `steps login removed, banner new, report (rank 7 → 8)`.
  private static func parts<Part>(
    _ what: String, _ old: [(name: String, part: Part)], _ new: [(name: String, part: Part)],
    _ changes: (Part, Part) -> [String]
  ) -> [String] {
    let before = Dictionary(old.map { ($0.name, $0.part) }) { first, _ in first }
    let names = Set(new.map(\.name))
    let removed = old.filter { !names.contains($0.name) }.map { "\($0.name) removed" }
    let others = new.compactMap { name, part -> String? in
      guard let old = before[name] else { return "\(name) new" }
      let words = changes(old, part).joined(separator: ", ")
      return words.isEmpty ? nil : "\(name) (\(words))"
    }
    let words = removed + others
    if words.isEmpty { return [] }
    let more = words.count > named ? ["and \(words.count - named) more"] : []
    return ["\(what) \((words.prefix(named) + more).joined(separator: ", "))"]
  }
}

extension PlanDefinition {
  fileprivate var namedSteps: [(name: String, part: PlanStep)] { steps.map { ($0.name, $0) } }
  fileprivate var namedEvents: [(name: String, part: PlanEvent)] { events.map { ($0.name.name, $0) } }
  /// Nil: it has none.
  fileprivate var gateNames: String? { gates.isEmpty ? nil : gates.map(\.name).joined(separator: ",") }
}

extension PlanStep {
  fileprivate func changes(to new: PlanStep) -> [String] {
    SettingsChanges.value("rank", rank, new.rank)
      + SettingsChanges.value("kind", kind.name, new.kind.name)
      + (payload == new.payload ? [] : ["another payload"])
      + SettingsChanges.value("required", "\(isRequired)", "\(new.isRequired)")
      + SettingsChanges.value("attempts", attempts, new.attempts)
      + SettingsChanges.value("timeout", timeout, new.timeout)
      + SettingsChanges.value("start_within", startWithin, new.startWithin)
      + SettingsChanges.value("reenter", reentry?.text, new.reentry?.text)
  }
}

extension Reentry {
  fileprivate var text: String { "(on \(code), from \(from), at_most \(atMost))" }
}

extension PlanEvent {
  fileprivate func changes(to new: PlanEvent) -> [String] {
    SettingsChanges.value("rank", rank, new.rank)
      + SettingsChanges.value("kind", kind.name, new.kind.name)
      + SettingsChanges.value("when_open", whenOpen.rawValue, new.whenOpen.rawValue)
  }
}
