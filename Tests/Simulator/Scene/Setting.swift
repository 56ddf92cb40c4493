import Decisions
import JobModel
import JobTransport

/// What a schedule is about, drawn from its seed.
struct Setting {
  let manner: Manner
  let configuration: CoordinatorConfiguration
  let workers: [WorkerNode.Setting]
  let hasStandby: Bool
  /// How long clients submit.
  let length: Duration
  /// How many submissions there are in that time.
  let submissions: Int
  let commands: Int
  let faults: Int
  let isRolledBack: Bool
  /// Another machine has a copy of the ledger.
  let hasSecondLedger: Bool

  init(_ world: World) {
    manner = world.broker.manner
    hasStandby = world.chance(25)
    world.operatorSwarm = (0..<Operators.acts).map { _ in world.some(of: [0, 1, 1, 2, 6]) ?? 1 }
    world.swarm = (0..<Load.errands).map { _ in world.some(of: [0, 1, 1, 2, 6]) ?? 1 }
    length = .milliseconds(world.number(4_000...20_000))
    submissions = world.number(6...50)
    commands = world.chance(60) ? world.number(0...(world.chance(20) ? 30 : 8)) : 0
    faults = world.chance(25) ? 0 : world.chance(20) ? world.number(8...20) : world.number(1...5)
    isRolledBack = world.chance(6)
    hasSecondLedger = !hasStandby && !isRolledBack && world.chance(35)
    world.slowness = world.some(of: [8, 8, 30, 90]) ?? 8
    world.hasUsers = world.chance(25)
    configuration = Setting.configuration(world)
    workers = (0..<world.number(1...3)).map { _ in Setting.worker(world) }
    world.aims = Aim.some(world)
    world.slowSorts = SlowSorts.some(world)
  }

  /// What is done to the system, and when.
  func acts(_ world: World) -> [Schedule.Act] {
    let span = Int(length / .milliseconds(1))
    func act(_ what: Schedule.Act.What, from first: Int = 0, to last: Int? = nil) -> Schedule.Act {
      let time = Duration.milliseconds(world.number(first...max(first, last ?? span)))
      return Schedule.Act(time: time, what: what, seed: world.random.next())
    }
    var acts = (0..<submissions).map { _ in act(.submit) } + (0..<commands).map { _ in act(.command) }
    acts += (0..<faults).map { _ in act(.fault(SimulatedFault.some(world))) }
    if isRolledBack { acts += [act(.backUp, to: span / 2), act(.fault(.rollBack), from: span / 2)] }
    if hasSecondLedger, world.chance(75) { acts.append(act(.fault(.loseMachine))) }
    // The first coordinator of a ledger dies at once, and the clock is set before there is another one.
    if world.chance(4) {
      let death = world.number(150...700)
      acts.append(act(.fault(.killCoordinator), from: death, to: death))
      acts.append(act(.fault(.stepClock), from: death + 1, to: death + 49))
    }
    if world.hasUsers { acts += (0..<world.number(1...20)).map { _ in act(.forge) } }
    if hasStandby { acts.append(act(.startStandby, from: 200, to: 4_000)) }
    return acts
  }

  /// When somebody looks at everything.
  func looks(_ world: World) -> [Duration] {
    (0..<world.number(2...10)).map { _ in .milliseconds(world.number(500...Int(length / .milliseconds(1)))) }
  }

  private static func worker(_ world: World) -> WorkerNode.Setting {
    var departments = [
      Departments.work: world.number(1...3), Departments.capped: world.number(1...2),
      Departments.ahead: world.number(1...2), Departments.ordered: world.number(1...2),
      Departments.second: 1, Departments.behind: 1,
    ]
    for department in world.hasWebhooks ? Departments.webhooks : [] { departments[department] = 1 }
    return WorkerNode.Setting(
      departments: departments,
      kinds: world.chance(60)
        ? HandlerKinds.all : HandlerKinds.all.subtracting(world.chance(80) ? ["aside"] : ["aside", "step"]),
      adoptAfter: .milliseconds(world.number(1_500...6_000)), namesKinds: !world.chance(10))
  }

  private static func configuration(_ world: World) -> CoordinatorConfiguration {
    let quick = RetrySettings(first: .milliseconds(world.number(0...400)), longest: .seconds(2))
    var kinds: [JobKind: KindSettings] = [:]
    for kind in HandlerKinds.all where kind != "own" && kind != "once" {
      kinds[kind] = KindSettings(department: Departments.work, retry: quick)
    }
    let isChoosy = world.chance(40)
    var configuration = CoordinatorConfiguration(
      departments: [
        Departments.work: DepartmentSettings(window: world.number(3...12)),
        Departments.capped: DepartmentSettings(cap: world.number(1...3)),
        Departments.ahead: DepartmentSettings(window: world.number(3...12), ahead: world.number(1...3)),
        Departments.ordered: DepartmentSettings(isOrdered: true),
        Departments.second: DepartmentSettings(isOrdered: true),
        Departments.behind: DepartmentSettings(isOrdered: true),
      ], kinds: kinds, lease: .seconds(5), priorityWorth: .seconds(world.number(2...60)),
      notify: Set(OptionalEvent.allCases.filter { _ in !isChoosy || world.chance(50) }))
    configuration.plans[Opening.name] = Opening.settings(
      in: Departments.second, startOn: world.chance(50) ? .open : .command)
    if world.hasUsers { configuration.access = Stranger.access }
    configuration.retention.subscribers = Setting.places
    configuration.live = Set(LiveEvent.allCases.filter { _ in world.chance(30) })
    if world.chance(40) { configuration.schedules = [schedule("tick")].compactMap(\.self) }
    if world.chance(40), let rule {
      configuration.rules = [rule] + (world.chance(30) ? [echo].compactMap(\.self) : [])
      if world.chance(40) { configuration.rules += vain }
    }
    if world.chance(15) { addWebhooks(to: &configuration) }
    world.hasWebhooks = !configuration.webhooks.isEmpty
    return configuration
  }

  /// How long after it was told the place of a subscriber is kept.
  static let places: Duration = .seconds(20)

  /// One that fires each minute.
  static func schedule(_ name: String) -> CronSchedule? {
    (try? CronExpression("* * * * *")).flatMap { expression in
      CronSchedule(name: name, expression: expression, timeZone: .utc, kind: "tick", department: Departments.work)
    }
  }

  /// Two receivers are told of long jobs, and of what becomes of deliveries where nothing keeps that from them.
  static func addWebhooks(to configuration: inout CoordinatorConfiguration) {
    guard let address = try? WebhookAddress("https://hooks.example.com/") else { return }
    let filter = EventFilter(events: ["succeeded", "failed"], kinds: ["long", WebhookSettings.kind])
    for name in Departments.receivers {
      configuration.webhooks[name] = WebhookSettings(place: .address(address), filter: filter)
    }
    for department in Departments.webhooks { configuration.departments[department] = DepartmentSettings() }
  }

  /// Makes a job of whatever is told of such a job: a chain that somebody has to end.
  private static let echo = (try? RuleTemplate(json: #"{"text": "again"}"#)).map { payload in
    Rule("echo", on: EventFilter(kinds: ["alert"]), submit: RuleJob("alert", payload: payload))
  }

  /// The one makes no job of anything, and the other one is about what rules could not do: of that no rule makes a job.
  private static let vain: [Rule] = {
    guard let nothing = try? RuleTemplate(json: #"{"text": "${payload.nothing}"}"#),
      let text = try? RuleTemplate(json: #"{"text": "no job: ${message}"}"#)
    else { return [] }
    return [
      Rule(
        "nothing", on: EventFilter(events: ["failed"], kinds: ["hopeless"]),
        submit: RuleJob("alert", payload: nothing)),
      Rule(
        "vain", on: EventFilter(events: [OptionalEvent.ruleFailed.rawValue]), submit: RuleJob("alert", payload: text)),
    ]
  }()

  /// All rules that there are, whichever of them the schedule has. The first one makes a job of each failure.
  static let possibleRules = [rule, echo].compactMap(\.self) + vain

  private static let rule = (try? RuleTemplate(json: #"{"text": "failed: ${message}"}"#)).map { payload in
    Rule("alert", on: EventFilter(events: ["failed"], kinds: ["hopeless"]), submit: RuleJob("alert", payload: payload))
  }
}

/// The kinds of jobs.
enum HandlerKinds {
  static let all: Set<JobKind> = [
    "quick", "flaky", "hopeless", "keyed", "long", "aside", "own", "once", "step", "alert", "tick",
    WebhookSettings.kind,
  ]
  static let sorted = all.sorted { $0.name < $1.name }
}
