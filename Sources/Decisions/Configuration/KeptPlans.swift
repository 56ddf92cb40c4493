import JobModel

extension CoordinatorConfiguration {
  /// Has plans stay as they were: those that cannot be as the file has them now, and each that would receive an event of
  /// such a plan, because an event's name belongs to one plan. A plan that was not there is left out, and so is one whose
  /// department is gone.
  mutating func leavePlans(as old: CoordinatorConfiguration, where isImpossible: (PlanDefinition) -> Bool) {
    let usable = old.plans.filter { departments[$0.value.definition.department] != nil }
    var kept = Set(plans.filter { isImpossible($0.value.definition) }.keys)
    while true {
      let events = Set(kept.flatMap { usable[$0]?.definition.events ?? [] }.map(\.name))
      let more = plans.filter { name, plan in
        !kept.contains(name) && plan.definition.events.contains { events.contains($0.name) }
      }
      if more.isEmpty { break }
      kept.formUnion(more.keys)
    }
    for name in kept { plans[name] = usable[name] }
  }

  /// What would be different with these plans, each for people.
  func changes(to wanted: [PlanName: PlanSettings]) -> [String] {
    SettingsChanges.named("plan", plans, wanted, separator: "; ") { $0.changes(to: $1) }
  }
}
