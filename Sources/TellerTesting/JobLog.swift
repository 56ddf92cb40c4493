import Bookkeeping
import JobModel
import Synchronization
import Teller

/// The jobs of a test's system as its coordinator's turns change them. Waits end by these changes, not by looking again and
/// again.
final class JobLog: Sendable {
  struct Entry: Hashable, Sendable {
    let id: JobID
    let kind: JobKind
    let department: Department
  }

  private struct State {
    var jobs: [Entry] = []
    var open: Set<JobID> = []
    /// The next change. It is looked at with the state, so that no change can come between a look and a wait.
    var nextChange = OneShot<Void>()
  }

  private struct TimeIsOver: Error {}

  private let state = Mutex(State())

  /// Every job so far, in the order of acceptance.
  var jobs: [Entry] { state.withLock(\.jobs) }
  /// The jobs without an outcome.
  var open: [JobID] { state.withLock { $0.open.sorted { $0.description < $1.description } } }

  func note(_ changes: [JobChange]) {
    let change = state.withLock { state -> OneShot<Void> in
      for change in changes {
        let job = change.job
        if change.from == nil {
          state.jobs.append(Entry(id: job.id, kind: job.kind, department: job.department))
          state.open.insert(job.id)
        }
        if change.to.isFinal { state.open.remove(job.id) }
      }
      defer { state.nextChange = OneShot() }
      return state.nextChange
    }
    change.fulfil(.success(()))
  }

  /// Waits until there are more jobs than so many.
  ///
  /// - Returns: whether there are; false when the time is over.
  func changes(beyond count: Int, until deadline: ContinuousClock.Instant) async throws -> Bool {
    try await wait(until: deadline) { $0.jobs.count > count }
  }

  /// Waits until no job is open.
  func allEnded(until deadline: ContinuousClock.Instant) async throws -> Bool {
    try await wait(until: deadline) { $0.open.isEmpty }
  }

  private func wait(until deadline: ContinuousClock.Instant, for isTrue: (borrowing State) -> Bool) async throws -> Bool
  {
    while let change = state.withLock({ state -> OneShot<Void>? in isTrue(state) ? nil : state.nextChange }) {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return false }
      do {
        try await within(left, orThrow: { TimeIsOver() }) { try await change.value }
      } catch is TimeIsOver {
        // The last look decides.
      }
    }
    return true
  }
}
