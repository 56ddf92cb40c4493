import Decisions
import JobModel
import Testing

@testable import CoordinatorSettings

@Suite("teller.yaml: rules and notify")
struct RuleSettingsTests {
  private static let rest = """
    departments: {front: , alert: , init: {ordered: true}}
    kinds: {login: {department: front}}

    """

  private func lines(_ yaml: String) -> [String] {
    mistakes(in: yaml).first.map { "\($0.line ?? 0): \($0.problem)" }
  }

  /// Mistakes of one rule, whose `on:` is in line 5.
  private func mistake(on: String = "{event: failed, kind: login}", submit: String = "{kind: alert}") -> [String] {
    lines(Self.rest + "rules:\n  r:\n    on: \(on)\n    submit: \(submit)\n")
  }

  @Test("a rule is read with all that it says")
  func everyKey() throws {
    let rules = try settings(
      Self.rest
        + """
        rules:
          alert:
            on:
              event: [failed, attempt_failed]
              department: front
              kind: login
              plan: opening
              name: [log in, "2"]
              key: ada
              error: session_expired
              except: {kind: [alert, other], department: [init]}
            submit:
              kind: alert
              department: front
              payload: {text: "${message}", n: 1}
              priority: 8
              key: "${job}"
              key_window: 1h
              delay: 5s
              attempts: 2
        """
    ).coordinator.rules
    let filter = EventFilter(
      events: ["failed", "attempt_failed"], departments: ["front"], kinds: ["login"], plans: ["opening"],
      names: ["log in", "2"], keys: ["ada"], errors: ["session_expired"], exceptKinds: ["alert", "other"],
      exceptDepartments: ["init"])
    let job = RuleJob(
      "alert", department: "front", payload: try RuleTemplate(json: #"{"text":"${message}","n":1}"#), priority: 8,
      key: try RuleTemplate(json: #""${job}""#), keyWindow: .seconds(3_600), delay: .seconds(5), attempts: 2)
    #expect(rules == [Rule("alert", on: filter, submit: job)])
  }

  @Test("a mistake in a rule is told with its line and what there is")
  func mistaken() {
    #expect(
      mistake(on: "{event: faild}").first?.hasPrefix("5: \"event\": \"faild\" is no event; did you mean failed?")
        == true)
    #expect(mistake(on: "{event: started}").first?.contains("only live") == true)
    #expect(mistake(on: "{department: fron}").first?.contains("did you mean \"front\"?") == true)
    #expect(mistake(on: "{kind: a b}").first?.contains("is not a name") == true)
    #expect(mistake(submit: "{kind: nobody}").first?.contains("there is no department \"nobody\"") == true)
    #expect(mistake(submit: "{payload: 1}").first?.contains("needs \"kind\"") == true)
    #expect(mistake(submit: "{kind: alert, payload: \"${who}\"}").first?.contains("there is no ${who}") == true)
    #expect(mistake(submit: "{kind: alert, key_window: 1h}").first?.contains("there is no \"key\"") == true)
    #expect(mistake(submit: "{kind: alert, delay: 0s}").count == 1)
    #expect(lines(Self.rest + "rules: {r: {on: {}}}").first?.contains("needs \"submit\"") == true)
  }

  @Test("a rule that would trigger itself is refused, with the way; one that its filter bounds is not")
  func circles() {
    #expect(
      mistake(on: "{event: failed}").first
        == "5: \"on\": the rule would trigger itself: \"r\" makes a job for \"r\"; narrow it, for example with \"except\""
    )
    #expect(mistake(on: "{event: failed, except: {kind: alert}}").isEmpty)
  }

  @Test("what is recorded can be chosen for all and for one department")
  func notify() throws {
    let read = try settings(
      "notify: [parked]\ndepartments: {front: {notify: []}, back: {notify: attempt_failed}, init: }"
    )
    .coordinator
    #expect(read.notify == [.parked])
    #expect(read.departments.mapValues(\.notify) == ["front": [], "back": [.attemptFailed], "init": nil])
    #expect(!read.notifying.tells(.attemptFailed, in: "init") && read.notifying.tells(.attemptFailed, in: "back"))
    #expect(read.notifying.tells(.parked, in: "front"))
    #expect(try settings("departments: {a: }").coordinator.notify == OptionalEvent.usual)
    #expect(lines("notify: [succeeded]").first?.contains("cannot be chosen here") == true)
    #expect(lines("notify:").first?.contains("write []") == true)
    #expect(lines("departments: {a: {notify: parked}}").count == 1)
  }

  @Test("what is only relayed can be chosen, and makes no job")
  func live() throws {
    #expect(try settings("live: [accepted, released]\ndepartments: {a: }").coordinator.live == [.accepted, .released])
    #expect(try settings("departments: {a: }").coordinator.live.isEmpty)
    #expect(lines("live: [acepted]").first?.contains("did you mean accepted?") == true)
    for event in ["accepted", "released", "started", "progress"] {
      #expect(mistake(on: "{event: \(event)}").first?.contains("is only live, and is not recorded") == true)
    }
  }

  @Test("a rule that waits for what is not recorded is refused")
  func notRecorded() {
    let rule = "rules: {r: {on: {event: attempt_failed, kind: login}, submit: {kind: alert}}}\n"
    #expect(lines(Self.rest + rule).isEmpty)
    #expect(lines(Self.rest + "notify: []\n" + rule).first?.contains("leaves attempt_failed out") == true)
    let one = "departments: {front: {notify: attempt_failed}, alert: }\nnotify: []\n"
    #expect(lines(one + rule).isEmpty)
  }
}

@Suite("teller.yaml: the rules of webhooks")
struct WebhookRuleTests {
  private static let webhooks = """
    departments: {front: , alert: }
    webhooks:
      ops: {address: "https://a.example/", secret_file: s, on: {event: failed}}
      chat: {address_file: a, format: slack}

    """

  @Test("a webhook is a rule whose job has a department of its own; no delivery is delivered")
  func rules() throws {
    let rules = try settings(Self.webhooks).coordinator.allRules
    let others: Set<Department> = ["webhook-ops", "webhook-chat"]
    let payload = try RuleTemplate(json: #""${notification}""#)
    let job = { RuleJob("webhook", department: $0, payload: payload) }
    #expect(
      rules == [
        Rule("webhook-chat", on: EventFilter(exceptDepartments: others), submit: job("webhook-chat")),
        Rule("webhook-ops", on: EventFilter(events: ["failed"], exceptDepartments: others), submit: job("webhook-ops")),
      ])
  }

  @Test("a rule and a webhook that would trigger each other are refused; so are names of webhooks' rules")
  func mistaken() throws {
    let rule = { (name: String, more: String) in
      "rules: {\(name): {on: {event: failed\(more)}, submit: {kind: alert}}}\n"
    }
    let circle = try #require(mistakes(in: Self.webhooks + rule("r", ", except: {kind: alert}")).first.first)
    #expect(circle.problem.contains("\"r\" makes a job for \"webhook-chat\" makes a job for \"r\""))
    #expect(mistakes(in: Self.webhooks + rule("r", ", except: {kind: [alert, webhook]}")).count == 0)
    try expectMistake(
      Self.webhooks + rule("webhook-x", ", kind: login"), line: 5, "are for the rules of webhooks")
    let paused = "notify: []\n" + Self.webhooks.replacing("event: failed", with: "event: paused")
    try expectMistake(paused, line: 4, "webhook \"ops\" would never deliver it")
  }
}
