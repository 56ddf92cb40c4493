import Decisions
import DequeModule
import JobModel
import Ledger

/// Jobs that wait for jobs: for which ones, and which of those have ended without everyone being told yet.
final class Dependents {
  /// A job, or plan, that has ended and that others may wait for.
  struct Ended: Hashable, Sendable {
    var job: JobID
    var state: JobState
  }

  private(set) var waitedFor = WaitedFor()
  private(set) var ended: Deque<Ended> = []

  /// How many of the ended one step reads from the ledger at the start.
  private static let reloadLimit = 256

  func reload(_ ledger: LedgerTransaction) throws {
    (waitedFor, ended) = (WaitedFor(), [])
    try ledger.eachDependency { waitedFor.add($0) }
    guard waitedFor.count > 0 else { return }
    var position: JobID?
    repeat {
      let targets = try ledger.finishedDependencyTargets(after: position, limit: Dependents.reloadLimit)
      ended += targets.targets.map { Ended(job: $0.id, state: $0.state) }
      position = targets.position
    } while position != nil
  }

  /// A job was accepted that waits for these.
  func add(_ dependencies: [Dependency]) {
    for job in Set(dependencies.map(\.on)) { waitedFor.add(job) }
  }

  /// A job, or a plan, was accepted: those that wait for it know that now.
  func accepted(_ job: JobID, _ turn: Turn) throws {
    if waitedFor.mayContain(job) { _ = try turn.ledger.markKnown(job) }
  }

  /// A job, or a plan, has ended: the jobs that may wait for it are looked for in turns of their own.
  func noteEnd(of job: JobID, _ state: JobState) {
    if waitedFor.mayContain(job) { ended.append(Ended(job: job, state: state)) }
  }

  /// Everyone who waited for the first of the ended is told.
  func removeFirst() { ended.removeFirst() }

  /// A job waits for that one no longer.
  func resolved(_ job: JobID) { waitedFor.remove(job) }

  /// A job has ended that waited itself: its dependencies are nobody's concern any more.
  func forgetDependencies(of number: Int64, open: Int, _ turn: Turn) throws {
    guard waitedFor.count > 0, open > 0 else { return }
    for dependency in try turn.ledger.removeDependencies(of: number) { waitedFor.remove(dependency) }
  }
}
