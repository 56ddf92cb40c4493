import JobModel
import Testing

@testable import Decisions

@Suite("Rules that would go on for ever")
struct RuleCirclesTests {
  private func rule(_ name: RuleName, _ on: EventFilter, _ kind: JobKind, key: String? = nil) throws -> JobModel.Rule {
    JobModel.Rule(name, on: on, submit: RuleJob(kind, key: try key.map { try RuleTemplate(JSONText($0)) }))
  }

  private func circle(_ rules: JobModel.Rule...) -> [RuleName]? {
    let circles = RuleCircles(rules) { Department($0.name) }
    return rules.lazy.compactMap(circles.circle).first
  }

  @Test("a rule that its own job triggers is found, also by way of others")
  func found() throws {
    #expect(circle(try rule("a", EventFilter(events: ["failed"]), "alert")) == ["a", "a"])
    #expect(circle(try rule("a", EventFilter(), "alert")) == ["a", "a"])
    #expect(
      circle(try rule("a", EventFilter(events: ["attempt_failed"], departments: ["alert"]), "alert")) == ["a", "a"])
    let first = try rule("first", EventFilter(kinds: ["three"]), "one")
    let second = try rule("second", EventFilter(kinds: ["one"]), "two")
    let third = try rule("third", EventFilter(events: ["succeeded"], kinds: ["two"]), "three")
    #expect(circle(first, second, third) == ["first", "second", "third", "first"])
    #expect(circle(first, second) == nil)
  }

  @Test("a filter that lets none of the events of its own job pass bounds the rule")
  func bounded() throws {
    #expect(circle(try rule("a", EventFilter(events: ["failed"], kinds: ["login"]), "alert")) == nil)
    #expect(circle(try rule("a", EventFilter(exceptKinds: ["alert"]), "alert")) == nil)
    #expect(circle(try rule("a", EventFilter(exceptDepartments: ["alert"]), "alert")) == nil)
    #expect(circle(try rule("a", EventFilter(departments: ["front"]), "alert")) == nil)
    #expect(circle(try rule("a", EventFilter(events: ["paused", "parked"]), "alert")) == nil)
    #expect(circle(try rule("a", EventFilter(plans: ["opening"]), "alert")) == nil)
    #expect(circle(try rule("a", EventFilter(events: ["succeeded"], errors: ["timeout"]), "alert")) == nil)
    #expect(circle(try rule("a", EventFilter(keys: ["k"]), "alert")) == nil)
  }

  @Test("a key counts where it may be the one that is waited for")
  func keys() throws {
    #expect(circle(try rule("a", EventFilter(keys: ["k"]), "alert", key: "k")) == ["a", "a"])
    #expect(circle(try rule("a", EventFilter(keys: ["k"]), "alert", key: "other")) == nil)
    #expect(circle(try rule("a", EventFilter(keys: ["k"]), "alert", key: "${job}")) == ["a", "a"])
    #expect(circle(try rule("a", EventFilter(events: ["key_freed"]), "alert", key: "k")) == ["a", "a"])
    #expect(circle(try rule("a", EventFilter(events: ["key_freed"]), "alert")) == nil)
  }
}
