@testable import Decisions
@testable import JobModel

// What comes of it.

extension PlanWorld {
  private var eventRule: PlanEvent { setting.rules.events[0] }

  mutating func start() {
    run += 1
    phase = .running
    // Nothing depends on the steps of an earlier run any more.
    jobs.removeAll { !$0.job.isEvent && $0.job.state.isFinal }
    (isStopAsked, areGatesOpened) = (false, false)
    allowed = Dictionary(uniqueKeysWithValues: setting.rules.steps.map { ($0.name, 1) })
    for step in setting.rules.steps { add(step.name, rank: step.rank, round: 1) }
    for index in jobs.indices where jobs[index].run < run && jobs[index].job.state == .held { joinRun(index) }
    for index in events.indices where events[index].state == .kept { act(on: index) }
    if setting.off != .shutting { openGates(false) }
  }

  /// An event that is to be tried again has its turn in the run that there is.
  private mutating func joinRun(_ index: Int) {
    if setting.off != .presentRun { jobs[index].run = run }
  }

  private mutating func add(_ name: String, rank: Int, round: Int, id: JobID? = nil) {
    let id = id ?? JobID(plan: PlanWorld.plan, step: "\(run)/\(name)", round: round)
    jobs.append(Entry(run: run, job: PlanJob(id: id, name: name, rank: rank, round: round, state: .held)))
  }

  mutating func end(_ index: Int, _ state: JobState, _ code: String?) {
    if jobs[index].isReleased, state == .cancelled || code == "too_late" { leaveVoid(jobs[index].group) }
    (jobs[index].isReleased, jobs[index].isToReset) = (false, false)
    (jobs[index].job.state, jobs[index].job.code) = (state, code)
    if let event = PlanWorld.eventIDs.firstIndex(of: jobs[index].job.id) { events[event].ends += 1 }
    if jobs[index].run == run { advance() }
  }

  private mutating func leaveVoid(_ group: OrderGroup) {
    guard setting.areWorkersSlow else { return }
    void = (void + [group]).sorted { ($0.plan, $0.rank) < ($1.plan, $1.rank) }
  }

  mutating func tryAgain(_ index: Int) {
    counts.retries += 1
    (jobs[index].isReleased, jobs[index].hasBegun) = (false, true)
    jobs[index].job.state = .held
    if jobs[index].run < run, phase == .running { joinRun(index) }
  }
}

// MARK: - How the run goes on

extension PlanWorld {
  mutating func advance() {
    guard phase == .running else { return }
    var run = planRun
    if setting.off == .bound { run = PlanRun(unbounded, jobs: run.jobs) }
    switch run.decision {
    case .goOn: if setting.off == .wholeRank { goBackEarly(run) }
    case .goBack(let rounds): goBack(rounds)
    case .shut(let shut): finish(shut.state == .cancelled ? .stopped : .failed)
    case .opened: finish(.open)
    }
  }

  private mutating func goBack(_ rounds: [PlanRound]) {
    let now = planRun
    let again = now.jobs.filter { job in rounds.contains { $0.last == job.id } && now.isReturning(job) }
    let rank = again.map(\.rank).max() ?? 0
    if unfinished.contains(where: { $0.run == run && !$0.job.isEvent && $0.job.rank <= rank }) {
      wrong = "a plan went back while steps of its rank were under way"
    }
    for round in rounds {
      allowed[round.step, default: 1] += 1
      add(round.step, rank: round.rule?.rank ?? 0, round: round.round)
    }
  }

  /// What a plan would do that does not wait for the other steps of the rank.
  private mutating func goBackEarly(_ run: PlanRun) {
    for job in run.jobs {
      guard case .goesBack(let from) = run.verdict(on: job),
        !jobs.contains(where: { $0.run == self.run && $0.job.name == job.name && $0.job.round > job.round })
      else { continue }
      let first = (allowed[from] ?? 1) + 1
      goBack([
        PlanRound(step: from, round: first, last: job.id, rule: setting.rules.step(from)),
        PlanRound(step: job.name, round: job.round + 1, last: job.id, rule: setting.rules.step(job.name)),
      ])
    }
  }

  private var unbounded: PlanRules {
    var rules = setting.rules
    for index in rules.steps.indices { rules.steps[index].reentry?.atMost = 100 }
    return rules
  }

  mutating func finish(_ end: PlanPhase) {
    phase = end
    openGates(end == .open)
    for entry in unfinished where entry.run == run {
      guard let index = jobs.firstIndex(of: entry) else { continue }
      if entry.job.isEvent {
        keepAgain(index)
      } else {
        if entry.isReleased { leaveVoid(entry.group) }
        (jobs[index].isReleased, jobs[index].isToReset) = (false, false)
        (jobs[index].job.state, jobs[index].job.code) = (.cancelled, "plan_shut")
      }
    }
  }

  /// An event that nobody may have acted on is kept; another one goes on.
  mutating func keepAgain(_ index: Int) {
    guard !jobs[index].wasReleased else { return }
    let id = jobs.remove(at: index).job.id
    guard setting.off != .keepAgain, let event = PlanWorld.eventIDs.firstIndex(of: id) else { return }
    events[event].state = .kept
  }
}

// MARK: - Events

extension PlanWorld {
  mutating func receive() {
    events.append(Event(state: .announced))
    decide(events.count - 1, isAccepted: false)
  }

  mutating func decide(_ index: Int, isAccepted: Bool) {
    let decision = EventDecision(eventRule.whenOpen, in: phase, isPaused: isPaused, isAccepted: isAccepted)
    switch decision {
    case .keep: events[index].state = .kept
    case .act: act(on: index)
    case .announce: events[index].state = .announced
    }
  }

  private mutating func act(on index: Int) {
    events[index].state = .acted
    add(eventRule.name.name, rank: eventRule.rank, round: 0, id: PlanWorld.eventIDs[index])
  }
}

extension PlanRun {
  func isReturning(_ job: PlanJob) -> Bool { if case .goesBack = verdict(on: job) { true } else { false } }
}
