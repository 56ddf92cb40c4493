import Decisions
import DequeModule
import JobModel
import JobTransport
import Ledger

@testable import Bookkeeping

/// What the parts of a bookkeeper know, for tests, which are on another thread.
extension Bookkeeper {
  /// The jobs whose outcomes the stream does not have yet, and may have.
  var unsent: [JobID] { get throws { try nextNotifications(atMost: .max)?.notifications.compactMap(\.job) ?? [] } }
  /// How many wait until a turn is safe.
  var waitingForSafety: Int { safetyWaiters.count }
  var released: LiveJobs { parts.releases.live }
  /// The void releases that keep a place.
  var voidPlaces: [ReleaseID: VoidPlace] {
    Dictionary(uniqueKeysWithValues: parts.releases.void.places.map { ($0.release, $0.place) })
  }
  /// What a run of a void release must carry to count.
  var voidTokens: [ReleaseID: Int] { voidPlaces.keys.reduce(into: [:]) { $0[$1] = parts.releases.void.token(of: $1) } }
  var voids: VoidReleases { parts.releases.void }
  /// The releases that are to be changed.
  var changes: [ReleaseID] { parts.releases.void.changing }
  var unpublished: Deque<ReleaseID> { parts.releases.unpublished }
  var books: [Department: DepartmentBooks] { parts.departments.books }
  var unfilled: Set<Department> { parts.departments.unfilled }
  var workers: [WorkerID: Roster.Entry] { parts.roster.workers }
  /// The workers that were welcomed in this session.
  var greeted: Set<WorkerID> { Set(workers.filter(\.value.isGreeted).keys) }
  var operations: [OperationRecord] { parts.operations.list }
  var claims: Claims { parts.book.claims }
  var nextDue: Timestamp? { parts.dueTimes.nextDue }
  var nextTooLate: Timestamp? { parts.dueTimes.nextTooLate }
  var agenda: Agenda? { parts.dueTimes.agenda }
  var ledgerClock: LedgerClock { parts.time.clock }
  var epoch: Int { parts.epoch.number }
  var isQuiet: Bool { parts.epoch.isQuiet }
  var notAllowed: Int { parts.refusals.notAllowed }
  var ignoredReports: Int { parts.refusals.ignoredReports }
  var strangers: Set<LedgerID> { parts.refusals.strangers }
  var missingHandlers: Set<JobQueue> { parts.search.missing }
  /// The queues for which jobs may be held until there is room.
  var waitingQueues: Set<JobQueue> { parts.departments.kindQueues.waiting }
  /// How many addresses beside those of the ledger are told outcomes.
  var earlierSubmitters: Int { parts.audience.earlier.count }
  var openDependencies: Int { parts.dependents.waitedFor.count }

  func isWelcome(_ worker: WorkerID) -> Bool { parts.roster.isWelcome(worker) }
  func places(beside queue: JobQueue) -> Int { parts.departments.places(beside: queue) }
  func room(beside queue: JobQueue) -> Int { parts.departments.room(beside: queue) }
  func limit(beside queue: JobQueue) -> Int { parts.departments.limit(beside: queue) }
  func staffing(of worker: WorkerID) -> Staffing { steps.staffing.orders(for: worker) }
  func releases(inHandOf entry: Roster.Entry) -> [ReleaseID] { steps.hands.releases(of: entry) }
}
