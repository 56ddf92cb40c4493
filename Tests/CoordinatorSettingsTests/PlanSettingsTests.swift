import Decisions
import JobModel
import Testing

@testable import CoordinatorSettings

@Suite("teller.yaml: plans")
struct PlanSettingsTests {
  private static let rest = """
    departments: {init: {ordered: true}, deposit: , loan: , audit: {ordered: true}}
    kinds: {init-step: , login: , open-push: , push: }

    """

  /// The steps of the plan, one a line.
  private static let steps = [
    "{name: network check, rank: 1, kind: init-step, payload: {name: network check, of: [1, 0.5, null, no]}}",
    "{name: user information, rank: 3, kind: init-step}",
    "{name: login, rank: 4, kind: login, attempts: 3, timeout: 10s, start_within: 1m, "
      + "reenter: {on: session_expired, from: user information, at_most: 2}}",
    "{name: full-screen banner, rank: 9, kind: init-step, required: false}",
  ]

  private static func file(_ steps: [String] = steps) -> String {
    rest
      + """
      plans:
        opening:
          department: init
          start_on: open
          gates: [deposit, loan]
          events:
            - {name: open, rank: 5, kind: open-push, when_open: announce}
            - {name: push, rank: 6}
          steps:

      """ + steps.map { "      - \($0)\n" }.joined()
  }

  private func read(_ yaml: String) throws -> [PlanName: PlanSettings] { try settings(yaml).coordinator.plans }

  @Test("a plan is read with all that it says")
  func everyKey() throws {
    let payload = Array(#"{"name":"network check","of":[1,0.5,null,"no"]}"#.utf8)
    let definition = PlanDefinition(
      name: "opening", department: "init",
      steps: [
        PlanStep(name: "network check", kind: "init-step", rank: 1, payload: payload),
        PlanStep(name: "user information", kind: "init-step", rank: 3),
        PlanStep(
          name: "login", kind: "login", rank: 4, attempts: 3, timeout: .seconds(10), startWithin: .seconds(60),
          reentry: Reentry(on: "session_expired", from: "user information", atMost: 2)),
        PlanStep(name: "full-screen banner", kind: "init-step", rank: 9, isRequired: false),
      ],
      events: [
        PlanEvent("open", rank: 5, kind: "open-push", whenOpen: .announce), PlanEvent("push", rank: 6, kind: "push"),
      ],
      gates: ["deposit", "loan"])
    #expect(try read(Self.file()) == ["opening": PlanSettings(definition, startOn: .open)])
  }

  @Test("what is not said has its default, and a list may be empty")
  func defaults() throws {
    let steps = "steps: [{name: a, rank: 1, kind: login, payload: null, reenter: }]"
    let plans = try read(
      Self.rest + "plans:\n  one: {department: init, \(steps)}\n"
        + "  two:\n    department: init\n    gates:\n    events:\n    \(steps)\n")
    let step = PlanStep(name: "a", kind: "login", rank: 1)
    let plan = PlanDefinition(name: "one", department: "init", steps: [step])
    #expect(plans["one"] == PlanSettings(plan, startOn: .command))
    #expect(plans["two"]?.definition.steps == [step] && plans["two"]?.definition.gates == [])
    #expect(try read("plans:\n").isEmpty)
  }

  @Test("one line more is one step more, wherever it stands", arguments: 0...4)
  func added(at index: Int) throws {
    var (lines, steps) = (Self.steps, try #require(try read(Self.file())["opening"]).definition.steps)
    lines.insert("{name: app version, rank: 5, kind: init-step}", at: index)
    steps.insert(PlanStep(name: "app version", kind: "init-step", rank: 5), at: index)
    try expect(lines, has: steps)
  }

  /// The second step is the one that another step re-enters from.
  @Test("one line less is one step less", arguments: [0, 2, 3])
  func removed(at index: Int) throws {
    var (lines, steps) = (Self.steps, try #require(try read(Self.file())["opening"]).definition.steps)
    lines.remove(at: index)
    steps.remove(at: index)
    try expect(lines, has: steps)
  }

  private func expect(_ lines: [String], has steps: [PlanStep]) throws {
    var plans = try read(Self.file())
    plans["opening"]?.definition.steps = steps
    #expect(try read(Self.file(lines)) == plans)
  }

  static let payloads: [(yaml: String, json: String?)] = [
    ("5", "5"), ("'5'", #""5""#), ("~", nil), ("[]", "[]"), ("{b: 1, a: true}", #"{"b":1,"a":true}"#),
    ("12:30", #""12:30""#), (#""a/\"b""#, #""a/\"b""#), ("größe", #""größe""#),
  ]

  @Test("a payload is any value of YAML, as JSON", arguments: payloads)
  func payload(yaml: String, json: String?) throws {
    let plans = try read(Self.file(["{name: a, rank: 1, kind: login, payload: \(yaml)}"]))
    #expect(plans["opening"]?.definition.steps.first?.payload == json.map { Array($0.utf8) })
  }

  @Test("a plan may be behind another one's gate, and several plans may have the same gate and department")
  func several() throws {
    let steps = "steps: [{name: a, rank: 1, kind: login}]"
    let plans = try read(
      Self.rest + "plans:\n  opening: {department: init, gates: [audit, loan], \(steps)}\n"
        + "  check: {department: audit, gates: [loan], \(steps)}\n  drill: {department: audit, \(steps)}\n")
    #expect(plans.keys.sorted() == ["check", "drill", "opening"])
    #expect(plans["check"]?.definition.gates == ["loan"])
  }
}
