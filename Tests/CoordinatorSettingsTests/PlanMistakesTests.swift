import JobModel
import Testing

@testable import CoordinatorSettings

@Suite("teller.yaml: mistakes in plans")
struct PlanMistakesTests {
  private static let rest = """
    departments: {init: {ordered: true}, audit: {ordered: true}, deposit: }
    kinds: {init-step: , login: }

    """
  private static let step = "{name: a, rank: 1, kind: login}"

  /// A plan whose own lines begin with line 5: the department is there.
  private static func plan(_ lines: String..., department: String = "init") -> String {
    rest + "plans:\n  p:\n    department: \(department)\n" + lines.map { "    \($0)\n" }.joined()
  }

  /// Steps and events of a plan, one a line, from line 7.
  private static func steps(_ steps: String...) -> String {
    plan("steps:", steps.map { "  - \($0)" }.joined(separator: "\n    "))
  }

  private static func events(_ events: String...) -> String {
    plan("steps: [\(step)]", "events:", events.map { "  - \($0)" }.joined(separator: "\n    "))
  }

  private func lines(_ yaml: String) -> [String] {
    mistakes(in: yaml).first.map { "\($0.line ?? 0): \($0.problem)" }
  }

  @Test("all that is wrong is told at once, each with its line")
  func atOnce() {
    let found = lines(
      """
      departments: {init: {ordered: true}, deposit: , loan: }
      kinds: {init-step: , login: , open-push: }
      plans:
        opening:
          department: init
          start_on: opne
          gates: [deposit, laon, init, deposit]
          step: []
          steps:
            - {name: network check, rank: 0, kind: init-step}
            - {name: network check, rank: 2, kind: init-setp}
            - {rank: 3, kind: init-step, payload: {a: 0x1F}}
            - {name: terms, kind: init-step, attempts: many, required: perhaps}
            - {name: login, rank: 4, timeout: 8d, start_within: 10, reenter: {on: expired, from: terms, atmost: 2}}
            - {name: report, rank: 5, kind: login, reenter: {on: '', from: login, at_most: 101}}
            - {name: banner, rank: 6, kind: login, reenter: {from: terms, at_most: 2}}
            - banner
          events:
            - {name: push, rank: 5, kind: open-psuh, when_open: later}
            - {name: alarm}
            - {name: push, rank: 1000001, kind: open-push}
        drill:
          department: deposit
          steps:
          events: [{name: alarm, rank: 1, kind: login}]
        closing:
          departmnet: init
      """)
    #expect(
      found == [
        #"6: "start_on": "opne" is none of open, command"#,
        #"7: there is no department "laon" under `departments:`; did you mean "loan"?"#,
        #"7: "gates": the plan itself runs in "init": behind its own gate it would wait for ever"#,
        #"7: "gates": gate "deposit" is named twice"#,
        #"8: unknown key "step"; did you mean "steps"? known here: department, start_on, gates, steps, events"#,
        #"10: "rank": 0 is not between 1 and 1000000"#,
        #"11: there is no kind "init-setp" under `kinds:`; did you mean "init-step"?"#,
        #"11: "name": another step has that name"#,
        #"12: a step needs "name""#,
        #"12: "payload": "0x1F" is no number of JSON, such as 10 or 0.5: put it in quotes for a text"#,
        #"13: step "terms" needs "rank""#,
        #"13: "required" must be true or false, not "perhaps""#,
        #"13: "attempts" must be a whole number, not "many""#,
        #"14: step "login" needs "kind""#,
        #"14: "timeout": 8d is not between 1ms and 7d"#,
        #"14: "start_within": "10" is no duration: write for example 45s, 1500ms or 2m"#,
        #"14: unknown key "atmost"; did you mean "at_most"? known here: on, from, at_most"#,
        #"15: "on": the code of a failure has 1–200 bytes"#,
        #"15: "at_most": 101 is not between 1 and 100"#,
        #"16: "reenter" needs "on""#,
        #"17: a step must hold lines of the form `key: value`, not "banner""#,
        #"19: "when_open": "later" is none of run, announce"#,
        #"19: there is no kind "open-psuh" under `kinds:`; did you mean "open-push"?"#,
        #"20: event "alarm" needs "rank""#,
        #"20: there is no kind "alarm" under `kinds:`, and an event without "kind" has the kind of its own name"#,
        #"21: "rank": 1000001 is not between 1 and 1000000"#,
        #"21: "name": another event has that name"#,
        #"23: department "deposit" is not ordered: a plan runs in a department with `ordered: true`"#,
        #"24: "steps": a plan needs at least one step"#,
        #"25: "name": plan "opening" receives an event "alarm", too: rename one of them"#,
        #"27: unknown key "departmnet"; did you mean "department"? known here: department, start_on, gates, steps, events"#,
        #"27: plan "closing" needs "department""#,
        #"27: plan "closing" needs "steps""#,
      ])
  }

  static let plans: [(yaml: String, line: Int, word: String)] = [
    ("plans: [opening]", 1, "\"plans\" must hold lines"),
    ("plans:\n  a b: {}", 2, "\"a b\" is not a name"),
    ("plan: {}", 1, "did you mean \"plans\"?"),
    (rest + "plans:\n  p: 5", 4, "\"p\" must hold lines"),
    (plan("steps: 5"), 6, "\"steps\" must be a list of steps, not \"5\""),
    (plan("steps: {a: \(step)}"), 6, "\"steps\" must be a list of steps, not a mapping"),
    (plan("steps: []"), 6, "\"steps\": a plan needs at least one step"),
    (plan("gates: []"), 5, "plan \"p\" needs \"steps\""),
    (plan("steps: [\(step)]", "gates: deposit"), 7, "\"gates\" must be a list of departments, not \"deposit\""),
    (plan("steps: [\(step)]", "gates: [deposit, a b]"), 7, "\"gates\": \"a b\" is not a name"),
    (plan("steps: [\(step)]", "gates:", "  - deposit", "  - depsoit"), 9, "did you mean \"deposit\"?"),
    (plan("steps: [\(step)]", "events: push"), 7, "\"events\" must be a list of events, not \"push\""),
    (plan("steps: [\(step)]", department: "inti"), 5, "no department \"inti\" under `departments:`; did you mean"),
    (plan("steps: [\(step)]", department: "[init]"), 5, "\"department\" must be a text, not a list"),
    (plan("steps: [\(step)]", "department: init"), 7, "the key \"department\" stands here twice: first on line 5"),
    (
      rest + "plans:\n  p: {department: init, steps: [\(step)]}\n  p: {department: init, steps: [\(step)]}", 5,
      "the key \"p\" stands here twice"
    ),
  ]

  static let parts: [(yaml: String, line: Int, word: String)] = [
    (steps(step, "{name: b, rank: 1, kind: login, tries: 3}"), 8, "unknown key \"tries\""),
    (steps(step, "{name: b, rank: 1, kind: a b}"), 8, "\"kind\": \"a b\" is not a name"),
    (steps(step, "{name: '', rank: 1, kind: login}"), 8, "\"name\": a step's name has 1–200 bytes"),
    (steps(step, "{name: [b], rank: 1, kind: login}"), 8, "\"name\" must be a text, not a list"),
    (steps(step, "{name: b, rank: 1, kind: login, attempts: 0}"), 8, "\"attempts\": 0 is not between 1 and 100"),
    (steps(step, "{name: b, rank: 1, kind: login, timeout: 0s}"), 8, "\"timeout\": 0s is not between 1ms and 7d"),
    (steps(step, "{name: b, rank: 1, kind: login, start_within: 3661d}"), 8, "3661d is not between 1ms and 3660d"),
    (steps(step, "{name: b, rank: 2, kind: login, reenter: a}"), 8, "\"reenter\" must hold lines"),
    (steps(step, "{name: b, rank: 2, kind: login, reenter: {on: x}}"), 8, "\"reenter\" needs \"from\""),
    (
      steps(step, "{name: login, rank: 2, kind: login, reenter: {on: x, from: lgoin}}"), 8,
      "\"reenter\": there is no step \"lgoin\" to re-enter from; did you mean \"login\"?"
    ),
    (
      steps(step, "name: b\n        rank: 1\n        kind: login\n        reenter: {on: x,\n          from: c}"), 12,
      "there is no step \"c\""
    ),
    (
      steps(step, "{name: b, rank: 1, kind: login, reenter: {on: x, from: a}}"), 8,
      "\"reenter\": it re-enters from \"a\" of rank 1, which is not before rank 1"
    ),
    (steps(step, "{name: b, rank: 1, kind: login, reenter: {on: x, from: b}}"), 8, "does not re-enter from itself"),
    (
      steps(
        "{name: b, rank: 1, kind: login, required: false}",
        "{name: c, rank: 2, kind: login, reenter: {on: x, from: b}}"), 8,
      "which is optional: make that step required"
    ),
    (events("{rank: 5, kind: login}"), 8, "an event needs \"name\""),
    (events("{name: a b, rank: 5, kind: login}"), 8, "\"name\": \"a b\" is not a name"),
    (events("{name: push, rank: 5, kind: login, whenopen: run}"), 8, "did you mean \"when_open\"?"),
    (events("{name: push, rank: first, kind: login}"), 8, "\"rank\" must be a whole number, not \"first\""),
    (events("{name: lgoin, rank: 5}"), 8, "has the kind of its own name; did you mean \"login\"?"),
    (events("push"), 8, "an event must hold lines"),
  ]

  @Test("a mistake is told with its line", arguments: plans + parts)
  func mistake(yaml: String, line: Int, word: String) throws {
    try expectMistake(yaml, line: line, word)
  }

  @Test(
    "nothing follows from a part that cannot be read",
    arguments: [
      // A department with a mistake may be ordered; one that cannot be read may be any of the gates.
      "departments: {init: {orderd: true}}\nkinds: {login: }\nplans: {p: {department: init, steps: [\(step)]}}",
      rest + "plans: {p: {department: 'a b', gates: [init, audit, deposit], steps: [\(step)]}}",
      // The departments, the kinds, a kind.
      "departments: [init]\nkinds: {login: }\nplans: {p: {department: init, gates: [a], steps: [\(step)]}}",
      "departments: {init: {ordered: true}}\nkinds: [login]\nplans: {p: {department: init, steps: [\(step)]}}",
      "departments: {init: {ordered: true}}\nkinds: {login: 5}\nplans: {p: {department: init, steps: [\(step)]}}",
      // A rank that is not known is before and after every other one, and a step without a name may be any step.
      steps(
        step, "{name: b, kind: login, reenter: {on: x, from: a}}",
        "{name: c, rank: 1, kind: login, reenter: {on: x, from: b}}"),
      steps("{name: b, kind: login}", "{name: c, rank: 1, kind: login, reenter: {on: x, from: b}}"),
      steps("{rank: 1, kind: login}", "{name: c, rank: 2, kind: login, reenter: {on: x, from: b}}"),
    ])
  func consequences(yaml: String) {
    #expect(mistakes(in: yaml).count == 1, "\(lines(yaml))")
  }

  @Test("of what cannot be read, the rest is looked at")
  func others() {
    let found = lines(
      Self.steps(
        "{name: b, kind: login, reenter: {on: x, from: b}}",
        "{name: c, kind: login, required: false}",
        "{name: d, kind: login, reenter: {on: x, from: c}}"))
    #expect(found.count == 5, "\(found)")
    #expect(found.contains { $0.hasPrefix(#"7: "reenter": a step does not re-enter from itself"#) })
    #expect(found.contains { $0.hasPrefix(#"9: "reenter": it re-enters from "c", which is optional"#) })
  }

  @Test("plans that wait for each other's gates are named, also by way of others")
  func circle() {
    let yaml =
      "departments: {a: {ordered: true}, b: {ordered: true}, c: {ordered: true}, d: {ordered: true}}\n"
      + "kinds: {login: }\nplans:\n"
      + "  first: {department: a, gates: [b, d], steps: [\(Self.step)]}\n"
      + "  second: {department: b, gates: [c], steps: [\(Self.step)]}\n"
      + "  third: {department: c, gates: [a], steps: [\(Self.step)]}\n"
      + "  fourth: {department: d, steps: [\(Self.step)]}\n"
    let wait = "and this plan waits for that one: both would wait for ever"
    #expect(
      lines(yaml) == [
        #"4: "gates": plan "second" runs in "b", \#(wait)"#, #"5: "gates": plan "third" runs in "c", \#(wait)"#,
        #"6: "gates": plan "first" runs in "a", \#(wait)"#,
      ])
  }

  @Test("a small file cannot hold plans and payloads without end")
  func aliases() {
    let half = String(repeating: "x", count: PayloadNode.largest / 2)
    let payloads = (1...5).map { "{name: s\($0), rank: 1, kind: login, payload: \($0 == 1 ? "&a \(half)" : "*a")}" }
    let found = lines(Self.plan("steps:", payloads.map { "  - \($0)" }.joined(separator: "\n    ")))
    #expect(found == [#"8: "payload": the payloads of a plan have at most 1048576 bytes together"#])
    let plans = (1...200).map { "  p\($0): \($0 == 1 ? "&p {department: init, steps: [\(Self.step)]}" : "*p")\n" }
    #expect(lines(Self.rest + "plans:\n" + plans.joined()) == [#"4: "plans": there may be at most 100 plans, not 200"#])
    let steps = String(repeating: "\(Self.step), ", count: 1_001)
    #expect(lines(Self.plan("steps: [\(steps)]")) == [#"6: "steps": there may be at most 1000 steps, not 1001"#])
  }

  @Test("a URL with a password on a wrong line is not shown")
  func hidesURL() {
    let url = "'amqp://u:secret@h/'"
    let found = lines(
      Self.plan("start_on: \(url)", "gates: [\(url)]", "steps: [\(url)]", "events: [{name: \(url), rank: \(url)}]"))
    #expect(found.count == 5 && !found.joined().contains("secret"), "\(found)")
  }
}
