import Decisions
import JobModel
import Yams

/// The rules of the file, and what is wrong between them.
struct RuleParts {
  /// In the order of the file.
  let drafts: [RuleDraft]

  init(_ block: SettingsBlock<FileKey>, _ departments: KnownDepartments, _ mistakes: inout Mistakes) {
    let entries = block.entries(.rules, &mistakes) ?? []
    if entries.count > Rule.limit {
      block.note(.rules, "there may be at most \(Rule.limit) rules, not \(entries.count)", &mistakes)
    }
    drafts = entries.prefix(Rule.limit).compactMap { entry in
      guard let name = RuleName(entry.name),
        let rule = SettingsBlock<RuleDraft.Keys>(entry.node, named: "\"\(name)\"", &mistakes)
      else { return nil }
      return RuleDraft(name, rule, departments, &mistakes)
    }
  }

  /// Notes each rule that would go on for ever, and each one that waits for what is not recorded.
  func check(_ configuration: CoordinatorConfiguration, _ mistakes: inout Mistakes) {
    for draft in drafts {
      guard let rule = draft.rule else { continue }
      if !WebhookSettings.isFree(rule.name) {
        mistakes.note(draft.on, "rule \"\(rule.name)\": \(RuleParts.reservedName)")
      }
      for problem in configuration.problems(of: rule) { mistakes.note(draft.on, "\"on\": \(problem)") }
    }
  }

  static let reservedName =
    "names that begin with \"\(WebhookSettings.departmentPrefix)\" are for the rules of webhooks"
}

extension CoordinatorConfiguration {
  /// The events that a filter names and that nothing records.
  func notRecorded(_ filter: EventFilter) -> [String] {
    let settings = notifying
    return OptionalEvent.allCases.filter { event in
      guard filter.events.contains(event.rawValue) else { return false }
      let departments = filter.departments.isEmpty ? Set(self.departments.keys) : filter.departments
      let isGeneral = departments.isEmpty || !OptionalEvent.ofDepartments.contains(event)
      return isGeneral ? !settings.tells(event) : !departments.contains { settings.tells(event, in: $0) }
    }.map(\.rawValue)
  }
}
