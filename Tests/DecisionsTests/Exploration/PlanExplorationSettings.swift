@testable import Decisions
@testable import JobModel

/// The plans that are explored, each with a part of what can happen: all of it together would have too many states.
extension PlanWorld.Setting {
  private typealias Step = PlanRules.Step

  private static let back = Reentry(on: "expired", from: "user", atMost: 1)
  private static let login = [
    Step("user", rank: 1), Step("place", rank: 2, isRequired: false), Step("login", rank: 3, reentry: back),
    Step("banner", rank: 4, isRequired: false),
  ]
  private static let beside = [
    Step("user", rank: 1), Step("login", rank: 2, reentry: back), Step("news", rank: 2), Step("last", rank: 3),
  ]
  private static let twice = [
    Step("user", rank: 1), Step("login", rank: 2, reentry: Reentry(on: "expired", from: "user", atMost: 2)),
    Step("last", rank: 3, isRequired: false, reentry: Reentry(on: "stale", from: "login", atMost: 1)),
  ]
  private static let bothBack = [
    Step("first", rank: 1), Step("user", rank: 2), Step("login", rank: 3, reentry: back),
    Step("mail", rank: 3, isRequired: false, reentry: Reentry(on: "full", from: "first", atMost: 1)),
  ]
  private static let hurried = [
    Step("user", rank: 1, startWithin: .seconds(1)), Step("news", rank: 1, isRequired: false, startWithin: .seconds(1)),
    Step("last", rank: 2, startWithin: .seconds(1)),
  ]
  /// A required step, and one that is not.
  private static let two = [Step("user", rank: 3), Step("news", rank: 4, isRequired: false)]

  private static func rules(
    _ steps: [Step], _ whenOpen: PlanEvent.WhenOpen = .run, rank: Int, gates: [Department] = []
  ) -> PlanRules {
    PlanRules(steps: steps, events: [PlanEvent("push", rank: rank, whenOpen: whenOpen)], gates: gates)
  }

  // MARK: - Steps

  static let goingBack = Self(
    name: "going back, optional steps, a stop", rules: PlanRules(steps: login), runs: 2, stops: [.keep])
  static let goingBackTwice = Self(name: "going back twice", rules: PlanRules(steps: twice), retries: 1)
  static let besideOthers = Self(
    name: "two steps of a rank", rules: PlanRules(steps: beside), stops: [.keep], retries: 2)
  static let bothGoingBack = Self(
    name: "two steps of a rank that go back", rules: PlanRules(steps: bothBack), retries: 1)
  static let late = Self(
    name: "steps that come too late", rules: rules(hurried, rank: 2), events: 1, retries: 1, areWorkersSlow: true)

  // MARK: - Events

  static let events = Self(
    name: "an event in each state, run", rules: rules(two, rank: 2), runs: 2, events: 2, stops: [.keep],
    canPause: true)
  static let announcedEvents = Self(
    name: "an event in each state, announced", rules: rules(two, .announce, rank: 9), runs: 2, events: 2,
    stops: [.keep], canPause: true, retries: 1)
  static let eventGoingBack = Self(
    name: "an event while the plan goes back", rules: rules(login, .announce, rank: 2), events: 1, stops: [.keep],
    retries: 1)
  static let eventOfLaterRun = Self(
    name: "an event that is tried again in a later run", rules: rules(two, rank: 3), runs: 2, events: 1,
    stops: [.keep], retries: 2)

  // MARK: - What an operator does

  static let cancelling = Self(
    name: "one job is cancelled", rules: rules(beside, rank: 2), events: 1, retries: 1, cancels: 2,
    areWorkersSlow: true)
  static let moving = Self(
    name: "a job is moved", rules: rules(beside, rank: 2), events: 1, retries: 1, ranks: [1, 2, 4], moves: 1)
  static let resetting = Self(
    name: "everything is reset", rules: rules(two, rank: 5), runs: 2, events: 2, stops: [.keep], retries: 1,
    canReset: true)
  static let gates = Self(
    name: "customers at the gate", rules: PlanRules(steps: two, gates: ["work"]), runs: 3, stops: GateChoice.allCases,
    stopLimit: 2, cancels: 1, customers: 2)

  static let all = [
    goingBack, goingBackTwice, besideOthers, bothGoingBack, late, events, announcedEvents, eventGoingBack,
    eventOfLaterRun, cancelling, moving, resetting, gates,
  ]

  // MARK: - Those that take long

  static let large = [
    Self(
      name: "steps that come too late, and another run", rules: rules(hurried, rank: 2), runs: 2, events: 1, retries: 1,
      cancels: 1, areWorkersSlow: true),
    Self(
      name: "an event that is tried again in one of two later runs", rules: rules(two, rank: 3), runs: 3, events: 1,
      stops: [.keep], stopLimit: 2, retries: 2, cancels: 1),
    Self(
      name: "two jobs are moved while the plan goes back", rules: rules(bothBack, rank: 2), events: 1, retries: 1,
      ranks: [1, 3, 5], moves: 2),
    Self(
      name: "jobs are moved, cancelled and reset", rules: rules(beside, .announce, rank: 2), runs: 2, events: 1,
      cancels: 1, ranks: [1, 4], moves: 1, canReset: true, areWorkersSlow: true),
    Self(
      name: "customers at the gate, events and a reset", rules: rules(two, .announce, rank: 5, gates: ["work"]),
      runs: 2, events: 1, stops: GateChoice.allCases, canPause: true, retries: 1, cancels: 1, canReset: true,
      customers: 1),
  ]
}
