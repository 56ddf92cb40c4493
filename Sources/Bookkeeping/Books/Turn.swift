import Decisions
import JobModel
import Ledger

/// One turn of the bookkeeper: one transaction of the ledger, and everything that it causes. It is valid only while the
/// transaction goes on. Nothing of it leaves the process before the turn is safe.
final class Turn {
  /// What the turn records.
  let ledger: LedgerTransaction
  /// How much the turn may still publish.
  var budget = ReleaseBudget()
  /// What leaves when the turn is safe.
  private(set) var effects = TurnEffects()
  /// What the turn has done, for the metrics.
  var tally = TurnTally()
  /// An acceptance waits for no outcome: somebody keeps other submissions back until it comes.
  var acceptsAtOnce = false
  /// The jobs that have ended in this turn, and whose plans have not been looked at yet.
  private var endedSteps: [JobChange] = []
  /// The jobs of plans that have another place in the order, or wait for their turn again, likewise.
  private var placedSteps: [PlacedStep] = []
  /// How many of the notifications the rules have looked at.
  private var ruled = 0
  /// The jobs whose keys were reset in this turn.
  private(set) var resetJobs: Set<JobID> = []
  private let isWatched: Bool
  private let notify: NotifySettings

  /// `isWatched`: somebody is told each change of a job's state. `notify`: which optional events are recorded.
  init(_ ledger: LedgerTransaction, isWatched: Bool, notify: NotifySettings) {
    (self.ledger, self.isWatched, self.notify) = (ledger, isWatched, notify)
  }

  func tell(_ item: Outgoing) { effects.outgoing.append(item) }
  func tell(_ items: [Outgoing]) { effects.outgoing += items }

  /// Answers a worker whose message cannot be used, if it says whose it is.
  func answer(_ flawed: FlawedMessage) {
    guard let worker = flawed.worker else { return }
    let failure = JobFailure(code: JobFailure.Code.unreadable, message: flawed.reason)
    tell(.refused(worker, RefusedMessage(type: flawed.type, failure: failure)))
  }

  /// A job has another state. Everything that follows a change of state begins here: plans go on; the notification
  /// stream, and the watcher of the bookkeeper, are told; metrics count.
  func changed(_ change: JobChange) {
    tally.count(change)
    if let notification = change.notification { effects.notifications.append(notification) }
    if isWatched { effects.changes.append(change) }
    if change.plan != nil, change.to.isFinal { endedSteps.append(change) }
  }

  /// Records what is always told beside the outcomes of jobs, for the notification stream.
  func notify(_ notification: Notification, about subject: NotificationSubject) throws {
    effects.notifications.append(try ledger.notify(notification, about: subject))
  }

  /// Whether an event is recorded: to be asked before anything is looked up only for it.
  func tells(_ event: OptionalEvent) -> Bool { notify.tells(event) }

  /// Records an event for the notification stream, unless the settings leave it out: then the notification is not even
  /// made.
  func notify(
    _ event: OptionalEvent, in department: Department? = nil, about subject: NotificationSubject,
    _ notification: (String) -> Notification
  ) throws {
    guard notify.tells(event, in: department) else { return }
    try notify(notification(event.rawValue), about: subject)
  }

  /// A job ends because its key is reset: that is no event of the next use, and rules make nothing of it.
  func reset(_ job: JobID) { resetJobs.insert(job) }

  /// The next notification that the rules have not looked at.
  func nextForRules() -> Notification? {
    guard ruled < effects.notifications.count else { return nil }
    defer { ruled += 1 }
    return effects.notifications[ruled]
  }

  /// Whether the rules have notifications to look at.
  var hasUnruled: Bool { ruled < effects.notifications.count }

  /// Tells the change of a job without an outcome, if people see another state than `from`.
  func changed(_ job: LiveJob, from: JobState) {
    let to = job.progress.visibleState
    if to != from { changed(JobChange(job: job.identity, plan: job.plan, from: from, to: to)) }
  }

  /// Takes what is new about a released job into the memory.
  func put(_ job: LiveJob, in releases: Releases) {
    let before = releases.live.state(of: job.id)
    releases[job.id] = job
    changed(job, from: before)
  }

  /// The next step of a plan that has ended in this turn.
  func nextEndedStep() -> JobChange? { endedSteps.isEmpty ? nil : endedSteps.removeFirst() }
  var hasEndedSteps: Bool { !endedSteps.isEmpty }

  /// A job has another place in the order of its department, or waits for its turn again.
  func placed(_ job: JobID, of plan: JobID?) { if let plan { placedSteps.append(PlacedStep(job: job, plan: plan)) } }

  func nextPlacedStep() -> PlacedStep? { placedSteps.isEmpty ? nil : placedSteps.removeFirst() }
}

/// A job of a plan, and its plan.
struct PlacedStep {
  var job: JobID
  var plan: JobID
}

/// How many releases, and bytes of payload, one turn publishes, in all departments together: each waits in the outbox.
struct ReleaseBudget: Sendable {
  static let releases = 256
  static let bytes = 2 * 1024 * 1024

  private var count = 0
  private var size = 0

  var hasRoom: Bool { count < ReleaseBudget.releases && size < ReleaseBudget.bytes }

  /// A release was published, or a job was at least read and decided about.
  mutating func spend(bytes: Int) {
    count += 1
    size += bytes
  }
}
