import Foundation
import JobModel
import Testing

@testable import Decisions

@Suite("What another configuration changes")
struct ConfigurationChangeTests {
  private let old = CoordinatorConfiguration(
    departments: ["loan": .init(window: 10), "init": .init(isOrdered: true)],
    kinds: ["mortgage": .init(department: "loan", attempts: 3)],
    access: Access(users: ["shop": UserSettings(role: .producer)], coordinator: "teller"))

  private func change(_ edit: (inout CoordinatorConfiguration) -> Void) -> ConfigurationChange {
    var new = old
    edit(&new)
    return ConfigurationChange(from: old, to: new)
  }

  @Test("equal configurations change nothing, and so does a window that is the default")
  func nothing() {
    #expect(change { _ in }.isEmpty)
    let change = ConfigurationChange(
      from: CoordinatorConfiguration(departments: ["a": .init()]),
      to: CoordinatorConfiguration(departments: ["a": .init(window: Window.defaultLimit)]))
    #expect(change.isEmpty && change.text == "nothing changes")
  }

  @Test("departments that come, go and change are named, in the order of their names")
  func departments() {
    let change = change {
      $0.departments = ["loan": .init(cap: 5), "post": .init(), "audit": .init()]
    }
    #expect(
      change.text
        == "department audit: new; department init: removed; department loan: cap none → 5, window 10 → 2000; "
        + "department post: new")
    #expect(change.addedDepartments == ["audit", "post"])
  }

  @Test("how many jobs a department's workers take ahead is named when it changes")
  func ahead() {
    #expect(change { $0.departments["loan"]?.ahead = 2 }.text == "department loan: ahead 0 → 2")
  }

  @Test("a department keeps its kind of order and all that goes with it; this needs a restart")
  func order() {
    let change = change {
      $0.departments["init"] = .init(cap: 3)
      $0.departments["loan"]?.cap = 2
    }
    #expect(change.left == ["department init: ordered true → false"])
    #expect(change.text == "department loan: cap none → 2")
    #expect(change.configuration.departments["init"] == .init(isOrdered: true))
  }

  @Test(
    "a new department whose queue is refused is left out, with what belongs to it; the next reading finds it new again")
  func refused() throws {
    var new = old
    new.departments["post"] = .init(isOrdered: true)
    new.departments["audit"] = .init()
    new.kinds["letter"] = .init(department: "post")
    new.kinds["mortgage"] = .init(department: "post", attempts: 9)
    let expression = try CronExpression("0 3 * * *")
    new.schedules = ["letter", "mortgage", "check"].compactMap { kind in
      CronSchedule(
        name: kind, expression: expression, timeZone: .utc, kind: JobKind(kind) ?? "letter",
        department: kind == "check" ? "audit" : nil)
    }
    let change = ConfigurationChange(from: old, to: new, except: ConfigurationObstacles(leftOut: ["post"]))
    #expect(change.addedDepartments == ["audit"])
    #expect(change.configuration.departments["post"] == nil)
    #expect(change.configuration.kinds["mortgage"] == old.kinds["mortgage"])
    #expect(change.configuration.schedules.map(\.name) == ["mortgage", "check"])
    #expect(ConfigurationChange(from: change.configuration, to: new).addedDepartments == ["post"])
  }

  @Test("while a new department is left out, none is removed: it may be the other one's new name")
  func renamed() {
    var new = old
    new.departments["post"] = new.departments.removeValue(forKey: "loan")
    new.kinds["mortgage"]?.department = "post"
    let obstacles = ConfigurationObstacles(leftOut: ["post"])
    #expect(ConfigurationChange(from: old, to: new, except: obstacles).isEmpty)
    #expect(obstacles.kept(new, from: old) == ["department loan: removed"])
    #expect(ConfigurationObstacles().kept(new, from: old).isEmpty)
  }

  @Test("each setting of the other parts is named, and no payload is shown")
  func others() throws {
    let schedule = try #require(
      CronSchedule(
        name: "nightly", expression: try CronExpression("0 3 * * *"), timeZone: .utc, kind: "mortgage",
        payload: JSONText("secret")))
    var later = schedule
    later.expression = try CronExpression("0 4 * * *")
    later.payload = JSONText("other secret")
    var before = old
    before.schedules = [schedule]
    var after = before
    after.schedules = [later]
    after.kinds["mortgage"] = .init(
      department: "loan", attempts: 5, timeout: .seconds(30), startWithin: .seconds(60), retry: RetrySettings())
    (after.lease, after.priorityWorth, after.afterRestore) = (.seconds(30), .seconds(60), .run)
    after.retention = RetentionSettings(time: .seconds(86_400), size: 1_000, subscribers: .seconds(3_600))
    after.access.users = [
      "shop": UserSettings(role: .worker, departments: ["loan"]), "ops": UserSettings(role: .operator),
    ]
    let change = ConfigurationChange(from: before, to: after)
    #expect(
      change.changes == [
        "kind mortgage: attempts 3 → 5, timeout none → 30s, start_within none → 1m, "
          + "retry none → (first 1s, factor 2.0, max 10m, jitter 20)",
        "schedule nightly: cron 0 3 * * * → 0 4 * * *, another payload", "user ops: new",
        "user shop: role producer → worker, departments all → loan", "lease 45s → 30s", "priority_worth 10m → 1m",
        "after_restore hold → run",
        "retention: time 7d → 24h", "retention: size none → 1000 bytes", "retention: subscribers 30d → 1h",
      ])
    #expect(change.left.isEmpty)
    after.access.users = nil
    #expect(ConfigurationChange(from: before, to: after).changes.contains("users 1 → all"))
  }

  @Test("the text names a bounded number of changes")
  func bounded() {
    let change = change { configuration in
      for number in 1...40 { configuration.departments[Department("d\(number)") ?? "d"] = .init() }
    }
    #expect(change.changes.count == 40)
    #expect(change.text.hasSuffix("; and 10 more"))
  }
}
