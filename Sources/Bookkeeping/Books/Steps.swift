import Decisions
import JobModel
import Logging

/// The steps of the flow, each with the parts that it may touch, and the steps that it may take. Each is made of those
/// above it, so there is no circle.
struct Steps {
  let hands: Hands
  let withdrawing: Withdrawing
  let ending: Ending
  let holding: Holding
  let releasing: Releasing
  let filling: Filling
  let reissuing: Reissuing
  let changing: Changing
  let claiming: Claiming
  let lost: LostReleases
  let resolving: Resolving
  let accepting: Accepting
  let gates: PlanGates
  let events: PlanEvents
  let starting: PlanAccepting
  let plans: PlanAdvancing
  let rules: RuleFiring
  let submitting: Submitting
  let recording: Recording
  let staffing: WorkerStaffing
  let hearing: Hearing
  let takingBack: TakingBack
  let dueJobs: DueJobs
  let schedules: Schedules
  let restoring: Restoring
  let cancelling: Cancelling
  let reranking: Reranking
  let replaying: Replaying
  let resettingKeys: ResettingKeys
  let operating: Operating
  let stopping: StoppingPlans
  let resizing: Resizing
  let draining: Draining
  let sessions: Sessions

  init(_ parts: Parts, _ configuration: CoordinatorConfiguration, _ logger: Logger) {
    let (departments, releases, roster, book) = (parts.departments, parts.releases, parts.roster, parts.book)
    let (time, epoch, dueTimes, refusals) = (parts.time, parts.epoch, parts.dueTimes, parts.refusals)
    hands = Hands(releases, configuration.access)
    withdrawing = Withdrawing(departments: departments, releases: releases, book: book, time: time)
    ending = Ending(
      departments: departments, releases: releases, audience: parts.audience, dependents: parts.dependents,
      withdrawing: withdrawing, time: time)
    holding = Holding(
      departments: departments, releases: releases, roster: roster, search: parts.search, withdrawing: withdrawing,
      logger: logger)
    releasing = Releasing(
      departments: departments, releases: releases, roster: roster, holding: holding, ending: ending, book: book,
      time: time, epoch: epoch, ageing: Ageing(worth: configuration.priorityWorth), logger: logger)
    filling = Filling(
      departments: departments, releases: releases, holding: holding, releasing: releasing, lines: parts.lines)
    reissuing = Reissuing(
      releases: releases, book: book, withdrawing: withdrawing, holding: holding, releasing: releasing, ending: ending,
      dueTimes: dueTimes, time: time, chance: parts.chance, logger: logger)
    changing = Changing(
      departments: departments, releases: releases, withdrawing: withdrawing, reissuing: reissuing, holding: holding,
      ending: ending, time: time)
    claiming = Claiming(
      book: book, releases: releases, lines: parts.lines, roster: roster, hands: hands, withdrawing: withdrawing,
      reissuing: reissuing, changing: changing, time: time, logger: logger)
    lost = LostReleases(
      departments: departments, releases: releases, roster: roster, hands: hands, claiming: claiming)
    resolving = Resolving(departments: departments, dependents: parts.dependents, ending: ending, time: time)
    accepting = Accepting(
      configuration: configuration, departments: departments, releases: releases, audience: parts.audience,
      dependents: parts.dependents, dueTimes: dueTimes, holding: holding, releasing: releasing, ending: ending,
      resolving: resolving, time: time, epoch: epoch)
    let planJobs = PlanJobs(
      configuration: configuration, departments: departments, dependents: parts.dependents, dueTimes: dueTimes)
    gates = PlanGates(configuration: configuration, departments: departments, rules: parts.rules)
    events = PlanEvents(
      configuration: configuration, departments: departments, releases: releases, audience: parts.audience,
      dependents: parts.dependents, planJobs: planJobs, withdrawing: withdrawing, rules: parts.rules)
    starting = PlanAccepting(
      configuration: configuration, departments: departments, audience: parts.audience, dependents: parts.dependents,
      planJobs: planJobs, gates: gates, events: events, chance: parts.chance)
    plans = PlanAdvancing(
      departments: departments, audience: parts.audience, dependents: parts.dependents, planJobs: planJobs,
      gates: gates, events: events,
      rules: parts.rules, ending: ending, time: time, logger: logger)
    rules = RuleFiring(
      rules: RuleBook(configuration.allRules), accepting: accepting, time: time, epoch: epoch, logger: logger)
    submitting = Submitting(
      configuration: configuration, accepting: accepting, plans: starting, events: events,
      refusals: refusals, time: time, epoch: epoch)
    staffing = WorkerStaffing(departments: departments, roster: roster, releases: releases, ledger: epoch.ledger)
    resizing = Resizing(
      departments: departments, roster: roster, staffing: staffing, time: time, logger: logger)
    recording = Recording(
      configuration: configuration, releases: releases, roster: roster, dueTimes: dueTimes, claiming: claiming,
      withdrawing: withdrawing, changing: changing, holding: holding, releasing: releasing, ending: ending,
      plans: plans, resizing: resizing, recordedEarly: parts.recordedEarly, refusals: refusals, time: time,
      epoch: epoch, chance: parts.chance)
    hearing = Hearing(
      configuration: configuration, roster: roster, releases: releases, book: book, claiming: claiming,
      withdrawing: withdrawing, search: parts.search, staffing: staffing, refusals: refusals, time: time,
      epoch: epoch, logger: logger)
    takingBack = TakingBack(
      roster: roster, releases: releases, book: book, hands: hands, claiming: claiming, search: parts.search,
      time: time, logger: logger)
    dueJobs = DueJobs(
      departments: departments, releases: releases, dueTimes: dueTimes, ending: ending, withdrawing: withdrawing,
      plans: plans, time: time, epoch: epoch)
    schedules = Schedules(
      schedules: configuration.schedules, dueTimes: dueTimes, accepting: accepting, time: time, logger: logger)
    restoring = Restoring(
      departments: departments, dueTimes: dueTimes, schedules: schedules, ending: ending, plans: plans, time: time,
      logger: logger)
    cancelling = Cancelling(ending: ending, plans: plans)
    reranking = Reranking(
      departments: departments, releases: releases, withdrawing: withdrawing, epoch: epoch,
      worth: configuration.priorityWorth)
    replaying = Replaying(
      configuration: configuration, departments: departments, accepting: accepting, time: time)
    resettingKeys = ResettingKeys(
      operations: parts.operations, ending: ending, plans: plans, time: time, logger: logger)
    operating = Operating(
      operations: parts.operations, releases: releases, ending: ending, plans: plans, replaying: replaying,
      resettingKeys: resettingKeys, restoring: restoring, time: time, logger: logger)
    stopping = StoppingPlans(
      configuration: configuration, departments: departments, gates: gates, plans: plans, events: events,
      operating: operating, time: time, logger: logger)
    draining = Draining(roster: roster, staffing: staffing, logger: logger)
    sessions = Sessions(
      configuration: configuration, parts: parts, withdrawing: withdrawing, lost: lost, gates: gates,
      starting: starting,
      logger: logger)
  }
}
