import Decisions
import JobModel

/// What the pure values say of a plan: where each of its jobs stands, and which of them are released. No ledger, no memory
/// of a coordinator, no messages.
struct PlanModel {
  struct Row: Equatable {
    /// Counts the runs from 1.
    var run: Int
    var job: PlanJob
    var isReleased = false
    var wasReleased = false
    /// Waits for its next attempt.
    var isWaiting = false
    var attempt = 1
    /// Fails unless it begins in time.
    var isHurried = false
    /// The plan's number and the rank.
    var group: [Int] { [run, job.rank] }
    var isLate: Bool { isHurried && attempt == 1 && !job.state.isFinal }
  }

  let rules: PlanRules
  /// How often each step is tried.
  let attempts: Int
  var phase = PlanPhase.notStarted
  var areGatesOpen = false
  var isPaused = false
  /// In the order of their acceptance.
  var rows: [Row] = []
  private(set) var events: [JobID: EventState] = [:]
  private var names: [JobID: EventName] = [:]
  private var order: [JobID] = []
  private var runs: [JobID] = []

  init(_ rules: PlanRules, attempts: Int) { (self.rules, self.attempts) = (rules, attempts) }

  var run: JobID? { runs.last }
  var released: [Row] { rows.filter(\.isReleased) }
  var waiting: [Row] { rows.filter(\.isWaiting) }
  var unfinished: [Row] { rows.filter { !$0.job.state.isFinal } }
  func row(_ id: JobID) -> Row? { index(of: id).map { rows[$0] } }
  func index(of id: JobID) -> Int? { rows.firstIndex { $0.job.id == id } }
  func isOfPresentRun(_ row: Row) -> Bool { row.run == runs.count && phase == .running }
}

// MARK: - What happens

extension PlanModel {
  mutating func start(_ id: JobID) {
    guard phase.mayStart else { return }
    runs.append(id)
    (phase, areGatesOpen) = (.running, false)
    // Events that were begun, and are to be tried again.
    for index in rows.indices where rows[index].job.state == .held { joinRun(index) }
    for step in rules.steps { add(step.name, step.rank, round: 1, JobID(plan: id, step: step.name), step.startWithin) }
    for event in order where events[event] == .kept { act(on: event) }
    release()
  }

  /// An attempt has ended.
  mutating func end(_ id: JobID, _ state: JobState, code: String?) {
    guard let index = index(of: id) else { return }
    let isReturning = !rows[index].job.isEvent && rules.step(rows[index].job.name)?.reentry?.code == code
    let most = rows[index].job.isEvent ? Submission.defaultMaxAttempts : attempts
    if state == .failed, rows[index].attempt < most, !isReturning, code == PlanModel.passing {
      rows[index].attempt += 1
      rows[index].isWaiting = true
      hold(index)
    } else {
      finish(index, state, code)
      if isOfPresentRun(rows[index]) { advance() }
    }
    release()
  }

  /// The code of a failure after which a job is tried again.
  static let passing = "broken"

  /// The time of every job that waits for its next attempt has come, and that of those that had to begin by now: those
  /// that are held at once, and then those that are released, all together.
  mutating func tick() {
    for index in rows.indices { rows[index].isWaiting = false }
    release()
    for late in rows where late.isLate && late.job.state == .held { endTooLate([late.job.id]) }
    release()
    endTooLate(released.filter(\.isLate).map(\.job.id))
    release()
  }

  private mutating func endTooLate(_ late: [JobID]) {
    var isPresent = false
    for index in late.compactMap(index) where !rows[index].job.state.isFinal {
      isPresent = isPresent || isOfPresentRun(rows[index])
      finish(index, .failed, JobFailure.Code.tooLate)
    }
    if isPresent { advance() }
  }

  mutating func receive(_ id: JobID, _ name: EventName) {
    guard events[id] == nil, let event = rules.events.first(where: { $0.name == name }) else { return }
    (names[id], events[id]) = (name, .announced)
    order.append(id)
    decide(id, event, isAccepted: false)
  }

  mutating func accept(_ id: JobID) {
    guard events[id] == .announced, let event = rules.events.first(where: { $0.name == names[id] }) else { return }
    decide(id, event, isAccepted: true)
  }

  mutating func dismiss(_ id: JobID) {
    if [.announced, .kept].contains(events[id]) { events[id] = .dismissed }
  }

  /// A coordinator that begins anew knows what the ledger has, and nothing else: no more than before.
  func restarted() -> PlanModel { self }
}

// MARK: - What comes of it

extension PlanModel {
  private mutating func add(_ name: String, _ rank: Int, round: Int, _ id: JobID, _ startWithin: Duration?) {
    let job = PlanJob(id: id, name: name, rank: rank, round: round, state: .held)
    rows.append(Row(run: runs.count, job: job, isHurried: startWithin != nil))
  }

  private mutating func decide(_ id: JobID, _ event: PlanEvent, isAccepted: Bool) {
    switch EventDecision(event.whenOpen, in: phase, isPaused: isPaused, isAccepted: isAccepted) {
    case .keep: events[id] = .kept
    case .act: act(on: id)
    case .announce: events[id] = .announced
    }
    release()
  }

  private mutating func act(on id: JobID) {
    guard let event = rules.events.first(where: { $0.name == names[id] }) else { return }
    events[id] = .acted
    add(event.name.name, event.rank, round: 0, id, event.kind == RandomPlan.hurried ? RandomPlan.startWithin : nil)
  }

  mutating func finish(_ index: Int, _ state: JobState, _ code: String?) {
    (rows[index].isReleased, rows[index].isWaiting) = (false, false)
    (rows[index].job.state, rows[index].job.code) = (state, code)
  }

  /// A job that was released waits again. An event whose run is over has its turn in the run that there is.
  mutating func hold(_ index: Int) {
    rows[index].isReleased = false
    rows[index].job.state = .held
    if phase == .running { joinRun(index) }
  }

  private mutating func joinRun(_ index: Int) { if rows[index].job.isEvent { rows[index].run = runs.count } }

  mutating func advance() {
    let run = PlanRun(rules, jobs: rows.filter { $0.run == runs.count }.map(\.job))
    switch run.decision {
    case .goOn: break
    case .goBack(let rounds):
      for round in rounds {
        let id = JobID(plan: runs[runs.count - 1], step: round.step, round: round.round)
        add(round.step, round.rule?.rank ?? 0, round: round.round, id, round.rule?.startWithin)
      }
    case .shut(let shut): close(shut.state == .cancelled ? .stopped : .failed)
    case .opened: close(.open)
    }
  }

  mutating func close(_ end: PlanPhase) {
    (phase, areGatesOpen) = (end, end == .open)
    for index in rows.indices where rows[index].run == runs.count && !rows[index].job.state.isFinal {
      if !rows[index].job.isEvent { finish(index, .cancelled, "plan_shut") }
    }
    keepEvents()
  }

  /// Nobody has begun these.
  mutating func keepEvents() {
    for row in unfinished where row.run == runs.count && row.job.isEvent && !row.wasReleased {
      rows.removeAll { $0.job.id == row.job.id }
      events[row.job.id] = .kept
    }
  }

  /// The department releases the first group, unless another one is released.
  mutating func release() {
    let held = rows.indices.filter { rows[$0].job.state == .held }
    guard !isPaused, let first = held.map({ rows[$0].group }).min(by: { $0.lexicographicallyPrecedes($1) }),
      released.allSatisfy({ $0.group == first })
    else { return }
    for index in held where rows[index].group == first && !rows[index].isWaiting {
      (rows[index].isReleased, rows[index].wasReleased) = (true, true)
      rows[index].job.state = .queued
    }
  }
}
