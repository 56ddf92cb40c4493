package import JobModel

extension CoordinatorConfiguration {
  /// The rules of the configuration, and those of its webhooks.
  package var allRules: [Rule] { rules + webhookRules }

  /// A webhook is a rule whose job delivers the notification. What becomes of deliveries is not delivered: else a receiver
  /// that is away would cause deliveries that fail, and these further ones.
  private var webhookRules: [Rule] {
    let departments = Set(webhooks.keys.compactMap(WebhookSettings.department))
    return webhooks.sorted { $0.key < $1.key }.compactMap { name, webhook in
      guard let department = WebhookSettings.department(of: name), let rule = RuleName(department.name),
        let payload = WebhookSettings.payload
      else { return nil }
      var filter = webhook.filter
      filter.exceptDepartments.formUnion(departments)
      return Rule(rule, on: filter, submit: RuleJob(WebhookSettings.kind, department: department, payload: payload))
    }
  }
}

extension WebhookSettings {
  /// The whole notification.
  fileprivate static let payload = try? RuleTemplate(json: #""${notification}""#)

  /// Whether a rule may have that name: the rule of a webhook has the name of its department.
  package static func isFree(_ rule: RuleName) -> Bool { !rule.name.hasPrefix(departmentPrefix) }
}
