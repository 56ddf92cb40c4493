import Decisions
import JobModel

/// What the pure values say of a plan: where each of its jobs stands, and which of them are released. No ledger, no memory
/// of a coordinator, no messages.
struct PlanModel {
  struct Row: Equatable {
    var run: Int
    var job: PlanJob
    var isReleased = false
    var wasReleased = false
    /// Waits for its next attempt.
    var isWaiting = false
    var attempt = 1
    /// The plan's number and the rank.
    var group: [Int] { [run, job.rank] }
  }

  let rules: PlanRules
  /// How often each step is tried.
  let attempts: Int
  private(set) var phase = PlanPhase.notStarted
  private(set) var areGatesOpen = false
  private(set) var rows: [Row] = []
  private(set) var events: [JobID: EventState] = [:]
  private var names: [JobID: EventName] = [:]
  private var order: [JobID] = []
  private var runs: [JobID] = []

  init(_ rules: PlanRules, attempts: Int) { (self.rules, self.attempts) = (rules, attempts) }

  var run: JobID? { runs.last }
  var released: [Row] { rows.filter(\.isReleased) }
  var waiting: [Row] { rows.filter(\.isWaiting) }
  func row(_ id: JobID) -> Row? { rows.first { $0.job.id == id } }
}

// MARK: - What happens

extension PlanModel {
  mutating func start(_ id: JobID) {
    guard phase.mayStart else { return }
    runs.append(id)
    (phase, areGatesOpen) = (.running, false)
    // Events that were begun, and are to be tried again.
    for index in rows.indices where rows[index].job.isEvent && rows[index].job.state == .held {
      rows[index].run = runs.count
    }
    for step in rules.steps { add(step.name, step.rank, round: 1, JobID(plan: id, step: step.name)) }
    for event in order where events[event] == .kept { act(on: event) }
    release()
  }

  mutating func end(_ id: JobID, _ state: JobState, code: String?) {
    guard let index = rows.firstIndex(where: { $0.job.id == id }) else { return }
    rows[index].isReleased = false
    let isReturning = !rows[index].job.isEvent && rules.step(rows[index].job.name)?.reentry?.code == code
    let most = rows[index].job.isEvent ? Submission.defaultMaxAttempts : attempts
    if state == .failed, rows[index].attempt < most, !isReturning, code == PlanModel.passing {
      rows[index].attempt += 1
      (rows[index].isWaiting, rows[index].job.state) = (true, .held)
    } else {
      (rows[index].job.state, rows[index].job.code) = (state, code)
      if rows[index].run == runs.count, phase == .running { advance() }
    }
    release()
  }

  /// The code of a failure after which a job is tried again.
  static let passing = "broken"

  /// The time of every job that waits for its next attempt has come.
  mutating func tick() {
    for index in rows.indices { rows[index].isWaiting = false }
    release()
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

  mutating func stop(_ gates: GateChoice) {
    if phase == .running { finish(.stopped) } else { keepEvents() }
    if phase != .failed { phase = .stopped }
    areGatesOpen = gates == .open
    release()
  }

  /// A coordinator that begins anew knows what the ledger has, and nothing else: no more than before.
  func restarted() -> PlanModel { self }
}

// MARK: - What comes of it

extension PlanModel {
  private mutating func add(_ name: String, _ rank: Int, round: Int, _ id: JobID) {
    rows.append(Row(run: runs.count, job: PlanJob(id: id, name: name, rank: rank, round: round, state: .held)))
  }

  private mutating func decide(_ id: JobID, _ event: PlanEvent, isAccepted: Bool) {
    switch EventDecision(event.whenOpen, in: phase, isPaused: false, isAccepted: isAccepted) {
    case .keep: events[id] = .kept
    case .act: act(on: id)
    case .announce: events[id] = .announced
    }
    release()
  }

  private mutating func act(on id: JobID) {
    guard let event = rules.events.first(where: { $0.name == names[id] }) else { return }
    events[id] = .acted
    add(event.name.name, event.rank, round: 0, id)
  }

  private mutating func advance() {
    let run = PlanRun(rules, jobs: rows.filter { $0.run == runs.count }.map(\.job))
    switch run.decision {
    case .goOn: break
    case .goBack(let rounds):
      for round in rounds {
        let id = JobID(plan: runs[runs.count - 1], step: round.step, round: round.round)
        add(round.step, rules.step(round.step)?.rank ?? 0, round: round.round, id)
      }
    case .shut(let shut): finish(shut.state == .cancelled ? .stopped : .failed)
    case .opened: finish(.open)
    }
  }

  private mutating func finish(_ end: PlanPhase) {
    (phase, areGatesOpen) = (end, end == .open)
    for row in rows where row.run == runs.count && !row.job.state.isFinal {
      guard let index = rows.firstIndex(of: row) else { continue }
      if !row.job.isEvent {
        (rows[index].isReleased, rows[index].isWaiting) = (false, false)
        (rows[index].job.state, rows[index].job.code) = (.cancelled, "plan_shut")
      }
    }
    keepEvents()
  }

  /// Nobody has begun these.
  private mutating func keepEvents() {
    for row in rows where row.run == runs.count && row.job.isEvent && !row.job.state.isFinal && !row.wasReleased {
      rows.removeAll { $0.job.id == row.job.id }
      events[row.job.id] = .kept
    }
  }

  /// The department releases the first group, unless another one is released.
  private mutating func release() {
    let held = rows.indices.filter { rows[$0].job.state == .held }
    guard let first = held.map({ rows[$0].group }).min(by: { $0.lexicographicallyPrecedes($1) }),
      released.allSatisfy({ $0.group == first })
    else { return }
    for index in held where rows[index].group == first && !rows[index].isWaiting {
      rows[index].isReleased = true
      rows[index].wasReleased = true
      rows[index].job.state = .queued
    }
  }
}
