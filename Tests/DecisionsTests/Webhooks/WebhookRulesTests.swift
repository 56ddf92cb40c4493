import JobModel
import Testing

@testable import Decisions

@Suite("Webhooks as rules")
struct WebhookRulesTests {
  private let book: RuleBook

  init() throws {
    let place = WebhookSettings.Place.address(try WebhookAddress("https://hooks.example.com/"))
    var configuration = CoordinatorConfiguration(departments: ["counter": DepartmentSettings()])
    configuration.webhooks = [
      "all": WebhookSettings(place: place),
      "failures": WebhookSettings(place: place, filter: EventFilter(events: ["failed"], kinds: ["deposit"])),
    ]
    book = RuleBook(configuration.allRules)
  }

  private func rules(_ event: String, _ department: Department?, _ kind: JobKind? = "deposit") -> [RuleName] {
    let notification = Notification(kind: kind, department: department, event: event, at: Timestamp(milliseconds: 0))
    return book.rules(for: notification).map(\.name)
  }

  @Test("each makes a job of what its filter passes")
  func filters() {
    #expect(rules("failed", "counter") == ["webhook-all", "webhook-failures"])
    #expect(rules("succeeded", "counter") == ["webhook-all"])
    #expect(rules("failed", "counter", "loan") == ["webhook-all"])
    #expect(rules("paused", "counter", nil) == ["webhook-all"])
    #expect(rules("parked", nil) == ["webhook-all"])
    #expect(rules("rule_failed", nil).isEmpty)
  }

  @Test("none makes a job of what becomes of deliveries, its own or another one's")
  func deliveries() {
    for department in ["webhook-all", "webhook-failures"] as [Department] {
      #expect(rules("failed", department, WebhookSettings.kind).isEmpty)
      #expect(rules("attempt_failed", department, WebhookSettings.kind).isEmpty)
      #expect(rules("failed", department).isEmpty, "whatever the kind")
      #expect(rules("paused", department, nil).isEmpty)
    }
    #expect(rules("failed", "webhook-other") == ["webhook-all", "webhook-failures"], "no webhook has this name")
  }
}
