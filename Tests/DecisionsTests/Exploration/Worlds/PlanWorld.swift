@testable import Decisions
@testable import JobModel

/// A plan of a name, with everything that can happen to it: starts, ends of its jobs in any way, tries again, events that
/// come once or again, acceptances, stops. The product's own values decide; the world carries out what they decide, as the
/// bookkeeper does: the ledger is the state, so a death of a coordinator changes nothing of it, and what was not recorded
/// did not happen. A worker that dies gives its job back: it is released again.
struct PlanWorld: SmallWorld {
  struct Setting: Hashable, Sendable {
    var name: String
    var rules: PlanRules
    /// How many runs may begin.
    var runs = 1
    /// How many events may come; they are of the first kind of event that the rules have.
    var events = 0
    var canStop = false
    var canPause = false
    /// How many jobs may be tried again, each after a back-off, in which others may go.
    var retries = 0
    var off: Rule?
  }

  /// A rule of the product that is left out, to show that it is needed.
  enum Rule: String, CaseIterable, Sendable {
    /// A plan goes back when all steps of the rank have ended.
    case wholeRank
    /// No job of another rank is released beside those that are.
    case oneGroup
    /// The bound of a re-entry.
    case bound
    /// An event that is in a run which ends is kept.
    case keepAgain
  }

  struct Entry: Hashable, Sendable {
    var run: Int
    var job: PlanJob
    var wasReleased = false
    var isReleased = false
    var isWaiting = false
    var group: OrderGroup { OrderGroup(plan: Int64(run), rank: job.rank) }
  }

  struct Event: Hashable, Sendable {
    var state: EventState
    /// How often a job has acted on it to the end.
    var ends = 0
  }

  let setting: Setting
  private(set) var phase = PlanPhase.notStarted
  private(set) var jobs: [Entry] = []
  private(set) var events: [Event] = []
  private var run = 0
  private var isPaused = false
  private var pauses = 0
  private var retries = 0
  private var wasStopped = false
  /// How often each step may have begun in this run, by what the plan has gone back.
  private var allowed: [String: Int] = [:]
  private var wrong: String?

  init(_ setting: Setting) { self.setting = setting }

  var violation: String? { wrong ?? twoRanks ?? tooOften ?? falseEnd }
  var isDone: Bool { phase != .running && unfinished.isEmpty && !isPaused }

  private var unfinished: [Entry] { jobs.filter { !$0.job.state.isFinal } }
  private var released: [Entry] { jobs.filter(\.isReleased) }
}

// MARK: - What must never be

extension PlanWorld {
  private var twoRanks: String? { Set(released.map(\.group)).count > 1 ? "two ranks at once" : nil }

  private var tooOften: String? {
    for (step, count) in Dictionary(grouping: jobs.filter { $0.run == run && !$0.job.isEvent }, by: \.job.name)
    where count.count > allowed[step] ?? 1 { return "a step ran again although the plan had not gone back" }
    for (index, event) in events.enumerated() {
      let rows = jobs.count { $0.job.id == PlanWorld.id(ofEvent: index) }
      if event.ends > 1 || rows > 1 { return "an event was acted on twice" }
      if (event.state == .acted) != (rows == 1) { return "an event was lost" }
    }
    return nil
  }

  /// How a run ended that is over.
  private var falseEnd: String? {
    guard run > 0, phase != .running else { return nil }
    let last = Dictionary(grouping: jobs.filter { $0.run == run && !$0.job.isEvent }, by: \.job.name)
      .compactMapValues { $0.max { $0.job.round < $1.job.round }?.job }
    if last.values.contains(where: { !$0.state.isFinal }) { return "a run is over, and steps are not" }
    let failed = setting.rules.steps.filter { $0.isRequired && last[$0.name]?.state != .succeeded }
    if phase == .open, !failed.isEmpty { return "a plan is open without a required step" }
    if phase == .failed, !last.values.contains(where: { $0.state == .failed }) { return "a plan failed for nothing" }
    let gone = jobs.filter { $0.run == run && $0.job.state == .failed && isReturning($0.job) }
    for (step, jobs) in Dictionary(grouping: gone, by: \.job.name) {
      let limit = (setting.rules.step(step)?.reentry?.atMost ?? 0) + 1
      if jobs.count > limit { return "a plan went back too often" }
    }
    return nil
  }

  private func isReturning(_ job: PlanJob) -> Bool { setting.rules.step(job.name)?.reentry?.code == job.code }
}

// MARK: - What can happen

extension PlanWorld {
  func next() -> [(step: String, world: PlanWorld)] {
    starts + releases + ends + operatorsMoves + eventMoves
  }

  private func after(_ step: String, _ change: (inout PlanWorld) -> Void) -> (step: String, world: PlanWorld) {
    var world = self
    change(&world)
    return (step, world)
  }

  private var starts: [(step: String, world: PlanWorld)] {
    guard phase.mayStart, run < setting.runs else { return [] }
    return [after("start") { $0.start() }]
  }

  /// The jobs that the department may release now: those of the first group, if no other group is released.
  private var releases: [(step: String, world: PlanWorld)] {
    let held = jobs.indices.filter { jobs[$0].job.state == .held }
    guard !isPaused, let first = held.map({ jobs[$0].group }).min(by: PlanWorld.isBefore) else { return [] }
    let isFree = released.allSatisfy { $0.group == first }
    guard isFree || setting.off == .oneGroup else { return [] }
    return held.filter { jobs[$0].group == first }.map { index in
      after("release \(jobs[index].job.name)") { world in
        world.jobs[index].isWaiting = false
        world.jobs[index].isReleased = true
        world.jobs[index].wasReleased = true
        world.jobs[index].job.state = .queued
        if first.plan == Int64(world.run), world.hasEarlier(than: first) { world.wrong = "a rank began too early" }
      }
    }
  }

  private static func isBefore(_ one: OrderGroup, _ other: OrderGroup) -> Bool {
    (one.plan, one.rank) < (other.plan, other.rank)
  }

  private func hasEarlier(than group: OrderGroup) -> Bool {
    unfinished.contains { $0.run == run && $0.job.rank < group.rank }
  }

  private var ends: [(step: String, world: PlanWorld)] {
    jobs.indices.filter { jobs[$0].isReleased }.flatMap { index in
      let job = jobs[index].job
      var ends = [after("\(job.name) succeeds") { $0.end(index, .succeeded, nil) }]
      ends.append(after("\(job.name) fails") { $0.end(index, .failed, "x") })
      if let code = setting.rules.step(job.name)?.reentry?.code {
        ends.append(after("\(job.name) goes back") { $0.end(index, .failed, code) })
      }
      if retries < setting.retries { ends.append(after("\(job.name) tries again") { $0.tryAgain(index) }) }
      return ends
    }
  }

  private var operatorsMoves: [(step: String, world: PlanWorld)] {
    var moves: [(step: String, world: PlanWorld)] = []
    if setting.canStop, !wasStopped, phase == .running || phase == .open { moves.append(after("stop") { $0.stop() }) }
    if setting.canPause {
      if isPaused {
        moves.append(after("resume") { $0.isPaused = false })
      } else if pauses == 0 {
        moves.append(
          after("pause") {
            $0.isPaused = true
            $0.pauses += 1
          })
      }
    }
    return moves
  }

  private var eventMoves: [(step: String, world: PlanWorld)] {
    var moves: [(step: String, world: PlanWorld)] = []
    if events.count < setting.events { moves.append(after("event") { $0.receive() }) }
    for index in events.indices where events[index].state == .announced {
      moves.append(after("accept") { $0.decide(index, isAccepted: true) })
    }
    return moves
  }
}

// MARK: - What comes of it

extension PlanWorld {
  private static func id(ofEvent index: Int) -> JobID { JobID(plan: plan, step: "event \(index)") }
  private static let plan = JobID(schedule: "plan", firedAt: Timestamp(milliseconds: 0))
  private var eventRule: PlanEvent { setting.rules.events[0] }

  private mutating func start() {
    run += 1
    phase = .running
    allowed = Dictionary(uniqueKeysWithValues: setting.rules.steps.map { ($0.name, 1) })
    for step in setting.rules.steps { add(step.name, rank: step.rank, round: 1) }
    for index in events.indices where events[index].state == .kept { act(on: index) }
  }

  private mutating func add(_ name: String, rank: Int, round: Int, id: JobID? = nil) {
    let id = id ?? JobID(plan: PlanWorld.plan, step: "\(run)/\(name)", round: round)
    jobs.append(Entry(run: run, job: PlanJob(id: id, name: name, rank: rank, round: round, state: .held)))
  }

  private mutating func end(_ index: Int, _ state: JobState, _ code: String?) {
    jobs[index].isReleased = false
    (jobs[index].job.state, jobs[index].job.code) = (state, code)
    if jobs[index].job.isEvent { noteEnd(ofEvent: jobs[index].job.id) }
    guard jobs[index].run == run, phase == .running else { return }
    advance()
  }

  private mutating func noteEnd(ofEvent id: JobID) {
    for index in events.indices where PlanWorld.id(ofEvent: index) == id { events[index].ends += 1 }
  }

  private mutating func advance() {
    var run = PlanRun(setting.rules, jobs: jobs.filter { $0.run == self.run }.map(\.job))
    if setting.off == .bound { run = PlanRun(unbounded, jobs: run.jobs) }
    switch run.decision {
    case .goOn: if setting.off == .wholeRank { goBackEarly(run) }
    case .goBack(let rounds): goBack(rounds)
    case .shut(let shut): finish(shut.state == .cancelled ? .stopped : .failed)
    case .opened: finish(.open)
    }
  }

  private mutating func goBack(_ rounds: [PlanRound]) {
    let rank = rounds.compactMap { setting.rules.step($0.step)?.rank }.max() ?? 0
    if unfinished.contains(where: { $0.run == run && !$0.job.isEvent && $0.job.rank <= rank }) {
      wrong = "a plan went back while steps of its rank were under way"
    }
    for round in rounds {
      allowed[round.step, default: 1] += 1
      add(round.step, rank: setting.rules.step(round.step)?.rank ?? 0, round: round.round)
    }
  }

  /// What a plan would do that does not wait for the other steps of the rank.
  private mutating func goBackEarly(_ run: PlanRun) {
    for job in run.jobs {
      guard case .goesBack(let from) = run.verdict(on: job),
        !jobs.contains(where: { $0.run == self.run && $0.job.name == job.name && $0.job.round > job.round })
      else { continue }
      goBack([
        PlanRound(step: from, round: (allowed[from] ?? 1) + 1, last: job.id),
        PlanRound(step: job.name, round: job.round + 1, last: job.id),
      ])
    }
  }

  private var unbounded: PlanRules {
    var rules = setting.rules
    for index in rules.steps.indices { rules.steps[index].reentry?.atMost = 100 }
    return rules
  }

  private mutating func finish(_ end: PlanPhase) {
    phase = end
    for entry in unfinished where entry.run == run {
      guard let index = jobs.firstIndex(of: entry) else { continue }
      if entry.job.isEvent {
        keepAgain(index)
      } else {
        (jobs[index].isReleased, jobs[index].isWaiting) = (false, false)
        (jobs[index].job.state, jobs[index].job.code) = (.cancelled, "plan_shut")
      }
    }
  }

  /// An event that nobody may have acted on is kept; another one goes on.
  private mutating func keepAgain(_ index: Int) {
    guard !jobs[index].wasReleased else { return }
    let id = jobs.remove(at: index).job.id
    guard setting.off != .keepAgain else { return }
    for event in events.indices where PlanWorld.id(ofEvent: event) == id { events[event].state = .kept }
  }

  private mutating func tryAgain(_ index: Int) {
    retries += 1
    jobs[index].isReleased = false
    jobs[index].isWaiting = true
    jobs[index].job.state = .held
  }

  private mutating func stop() {
    wasStopped = true
    if phase == .running { return finish(.stopped) }
    phase = .stopped
    for entry in unfinished where entry.run == run && entry.job.isEvent {
      if let index = jobs.firstIndex(of: entry) { keepAgain(index) }
    }
  }

  private mutating func receive() {
    events.append(Event(state: .announced))
    decide(events.count - 1, isAccepted: false)
  }

  private mutating func decide(_ index: Int, isAccepted: Bool) {
    let decision = EventDecision(eventRule.whenOpen, in: phase, isPaused: isPaused, isAccepted: isAccepted)
    switch decision {
    case .keep: events[index].state = .kept
    case .act: act(on: index)
    case .announce: events[index].state = .announced
    }
  }

  private mutating func act(on index: Int) {
    events[index].state = .acted
    add(eventRule.name.name, rank: eventRule.rank, round: 0, id: PlanWorld.id(ofEvent: index))
  }
}
