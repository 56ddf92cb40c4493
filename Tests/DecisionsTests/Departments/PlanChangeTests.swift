import JobModel
import Testing

@testable import Decisions

@Suite("What another configuration changes of plans")
struct PlanChangeTests {
  private static let steps = [
    PlanStep(name: "network check", kind: "init-step", rank: 1),
    PlanStep(name: "login", kind: "login", rank: 4, attempts: 3),
  ]
  private let old = CoordinatorConfiguration(
    departments: [
      "init": .init(isOrdered: true), "drills": .init(isOrdered: true), "deposit": .init(), "loan": .init(),
    ],
    plans: [
      "opening": PlanSettings(
        PlanDefinition(
          name: "opening", department: "init", steps: steps, events: [PlanEvent("push", rank: 5)],
          gates: ["deposit"]))
    ])

  private func change(
    except obstacles: ConfigurationObstacles = ConfigurationObstacles(),
    _ edit: (inout CoordinatorConfiguration) -> Void
  ) -> ConfigurationChange {
    var new = old
    edit(&new)
    return ConfigurationChange(from: old, to: new, except: obstacles)
  }

  private func plan(
    _ name: PlanName, in department: Department, events: [PlanEvent] = [], gates: [Department] = []
  ) -> PlanSettings {
    PlanSettings(
      PlanDefinition(name: name, department: department, steps: Self.steps, events: events, gates: gates))
  }

  @Test("plans that come and go are named, and so are steps and gates")
  func named() {
    let opening = change {
      $0.plans["opening"]?.definition.steps[1] = PlanStep(name: "banner", kind: "init-step", rank: 9)
      $0.plans["opening"]?.definition.gates = ["deposit", "loan"]
    }
    #expect(opening.text == "plan opening: steps login removed, banner new; gates deposit → deposit,loan")
    let others = change { configuration in
      configuration.plans = ["drill": plan("drill", in: "drills")]
    }
    #expect(others.text == "plan drill: new; plan opening: removed")
  }

  @Test("each setting of a plan is named, and no payload is shown")
  func others() {
    let change = change {
      $0.plans["opening"]?.startOn = .open
      $0.plans["opening"]?.definition.department = "drills"
      $0.plans["opening"]?.definition.gates = []
      $0.plans["opening"]?.definition.steps = [
        PlanStep(
          name: "login", kind: "sign-in", rank: 7, payload: Array(#""secret""#.utf8), isRequired: false,
          timeout: .seconds(10), startWithin: .seconds(60),
          reentry: Reentry(on: "expired", from: "network check", atMost: 2)),
        Self.steps[0],
      ]
      $0.plans["opening"]?.definition.events = [
        PlanEvent("push", rank: 6, kind: "open-push", whenOpen: .announce), PlanEvent("alarm", rank: 1),
      ]
    }
    #expect(
      change.changes == [
        "plan opening: department init → drills; start_on command → open; "
          + "steps login (rank 4 → 7, kind login → sign-in, another payload, required true → false, attempts 3 → none, "
          + "timeout none → 10s, start_within none → 1m, "
          + "reenter none → (on expired, from network check, at_most 2)); "
          + "events push (rank 5 → 6, kind push → open-push, when_open run → announce), alarm new; gates deposit → none"
      ])
  }

  @Test("another order of the same steps, events and gates changes nothing")
  func order() {
    var before = old
    before.plans["opening"]?.definition.gates = ["deposit", "loan"]
    before.plans["opening"]?.definition.events.append(PlanEvent("alarm", rank: 1))
    var after = before
    after.plans["opening"]?.definition.steps.reverse()
    after.plans["opening"]?.definition.events.reverse()
    after.plans["opening"]?.definition.gates.reverse()
    #expect(ConfigurationChange(from: before, to: after).isEmpty)
  }

  @Test("of a great number of steps some are named, and the number of the others")
  func bounded() {
    let change = change {
      $0.plans["opening"]?.definition.steps += (1...40).map { PlanStep(name: "s\($0)", kind: "login", rank: 9) }
    }
    #expect(change.text.hasPrefix("plan opening: steps s1 new, s2 new,"))
    #expect(change.text.hasSuffix("s30 new, and 10 more"))
  }

  @Test("a plan of a department that is left out, or with such a gate, stays as it was; a new one is left out")
  func leftOut() {
    let obstacles = ConfigurationObstacles(leftOut: ["vault"])
    var new = old
    new.departments["vault"] = .init(isOrdered: true)
    new.plans["opening"]?.definition.gates = ["deposit", "vault"]
    new.plans["opening"]?.definition.steps.removeLast()
    new.plans["counting"] = plan("counting", in: "vault")
    new.plans["drill"] = plan("drill", in: "drills")
    let change = ConfigurationChange(from: old, to: new, except: obstacles)
    #expect(change.text == "plan drill: new")
    #expect(change.configuration.plans["opening"] == old.plans["opening"])
    #expect(change.configuration.plans["counting"] == nil)
    #expect(
      obstacles.kept(new, from: old) == [
        "plan counting: new", "plan opening: steps login removed; gates deposit → deposit,vault",
      ])
    // The next reading finds it new again.
    #expect(ConfigurationChange(from: change.configuration, to: new).changes.contains("plan counting: new"))
  }

  @Test("while a plan stays as it was, no other one receives its events")
  func events() {
    let change = change(except: ConfigurationObstacles(leftOut: ["vault"])) {
      $0.departments["vault"] = .init()
      $0.plans["opening"]?.definition.gates = ["vault"]
      $0.plans["opening"]?.definition.events = []
      $0.plans["drill"] = plan("drill", in: "drills", events: [PlanEvent("push", rank: 1)])
    }
    #expect(change.isEmpty && change.configuration.plans == old.plans)
  }

  @Test("a plan of a department that is to be ordered, and is not before a restart, stays as it was")
  func restart() {
    let change = change {
      $0.departments["loan"] = .init(isOrdered: true)
      $0.plans["lending"] = plan("lending", in: "loan")
      $0.plans["opening"]?.definition.department = "loan"
      $0.plans["opening"]?.startOn = .open
    }
    #expect(
      change.left == [
        "department loan: ordered false → true", "plan lending: new",
        "plan opening: department init → loan; start_on command → open",
      ])
    #expect(change.isEmpty && change.configuration.plans == old.plans)
  }

  @Test("a plan that cannot stay as it was, because its department is gone, is left out")
  func gone() {
    let change = change {
      $0.departments["loan"] = .init(isOrdered: true)
      $0.departments["init"] = nil
      $0.plans["opening"]?.definition.department = "loan"
    }
    #expect(change.configuration.plans.isEmpty)
    #expect(change.text == "department init: removed; plan opening: removed")
    #expect(change.left == ["department loan: ordered false → true", "plan opening: new"])
  }
}
