@testable import Decisions
@testable import JobModel

/// A plan of a name, with everything that can happen to it: starts, ends of its jobs in any way, tries again, events that
/// come once or again, acceptances, stops, cancels, moves, a reset, steps that come too late, and customers at its gate.
/// The product's own values decide; the world carries out what they decide, as the bookkeeper does: the ledger is the
/// state, so a death of a coordinator changes nothing of it, and what was not recorded did not happen. A worker that dies
/// gives its job back: it is released again.
struct PlanWorld: SmallWorld {
  struct Setting: Sendable {
    var name: String
    var rules: PlanRules
    /// How many runs may begin.
    var runs = 1
    /// How many events may come; they are of the first kind of event that the rules have.
    var events = 0
    /// How an operator may stop the plan, and how often.
    var stops: [GateChoice] = []
    var stopLimit = 1
    var canPause = false
    /// How many jobs may be tried again, each after a back-off, in which others may go.
    var retries = 0
    /// How many jobs an operator cancels by their ids.
    var cancels = 0
    /// Where an operator moves held jobs to, and how many.
    var ranks: [Int] = []
    var moves = 0
    var canReset = false
    /// Workers take their time to drop what was cancelled.
    var areWorkersSlow = false
    /// How many jobs may come to the department behind the gate.
    var customers = 0
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
    /// A department behind a gate that is shut releases nothing.
    case gate
    /// A run that begins shuts the gates.
    case shutting
    /// A release whose job was cancelled keeps its place until no worker can have it.
    case void
    /// An event that waits for its next attempt belongs to the run that there is.
    case presentRun
    /// A plan is looked after when one of its steps was moved.
    case lookAgain
    /// A reset ends the job of an event also when it has just stopped the event's run.
    case wholeReset
    /// A reset stops no run that began after it.
    case earlierRuns
  }

  struct Entry: Hashable, Sendable {
    var run: Int
    var job: PlanJob
    var wasReleased = false
    var isReleased = false
    /// An attempt of it has failed.
    var hasBegun = false
    var wasMoved = false
    /// The reset has not come to it yet.
    var isToReset = false
    var group: OrderGroup { OrderGroup(plan: Int64(run), rank: job.rank) }
  }

  struct Event: Hashable, Sendable {
    var state: EventState
    /// How often a job has acted on it to the end.
    var ends = 0
  }

  /// How often each thing was done of which there is a limit.
  struct Counts: Hashable, Sendable {
    var stops = 0
    var pauses = 0
    var retries = 0
    var cancels = 0
    var moves = 0
    var customers = 0
  }

  /// A reset that goes on.
  struct Reset: Hashable, Sendable {
    /// The last run that had begun.
    var upTo: Int
    /// Nothing is released meanwhile.
    var isClosing: Bool
  }

  let setting: Setting
  var phase = PlanPhase.notStarted
  var run = 0
  var jobs: [Entry] = []
  var events: [Event] = []
  /// Releases whose jobs have ended, and that a worker may have.
  var void: [OrderGroup] = []
  var areGatesOpen = false
  /// The department behind the gate.
  var counter = DepartmentBooks(isOrdered: false, window: 4)
  var isPaused = false
  var reset: Reset?
  var wasReset = false
  var counts = Counts()

  // What nobody decides by.

  /// How often each step may have begun in this run, by what the plan has gone back.
  var allowed: [String: Int] = [:]
  /// Somebody has stopped this run, or reset everything.
  var isStopAsked = false
  /// An operator has opened the gates, and no run has begun since.
  var areGatesOpened = false
  var wrong: String?

  init(_ setting: Setting) {
    self.setting = setting
    applyGates()
  }

  var isDone: Bool {
    phase != .running && unfinished.isEmpty && void.isEmpty && !isPaused && reset == nil
      && (counter.isOpen ? counter.heldCount : 0) + counter.releasedCount == 0
  }

  var unfinished: [Entry] { jobs.filter { !$0.job.state.isFinal } }
  var released: [Entry] { jobs.filter(\.isReleased) }

  /// The last job of each step of this run.
  var last: [String: PlanJob] {
    Dictionary(grouping: jobs.filter { $0.run == run && !$0.job.isEvent }, by: \.job.name)
      .compactMapValues { $0.max { $0.job.round < $1.job.round }?.job }
  }

  /// This run, as the product looks at it.
  var planRun: PlanRun { PlanRun(setting.rules, jobs: jobs.filter { $0.run == run }.map(\.job)) }

  static let plan = JobID(schedule: "plan", firedAt: Timestamp(milliseconds: 0))
  static let eventIDs = (0..<4).map { JobID(plan: plan, step: "event \($0)") }
  /// What a job that an operator has cancelled has failed with.
  static let cancelled = "cancelled"
}

extension PlanWorld.Setting: Hashable {
  /// All worlds that are compared have the same setting.
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
