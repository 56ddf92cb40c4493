package import JobModel
import Synchronization

/// An attempt that ended here and whose report the broker has not confirmed yet.
package struct FinishedAttempt: Hashable, Sendable {
  package var release: ReleaseID
  package var token: Int
  package var ledger: LedgerID
  package var startedAt: ContinuousClock.Instant
  package var ran: Duration
  package var result: AttemptResult
  /// The policy of the handler, for a result that is a failure.
  package var hint: RetryHint?

  package init(
    release: ReleaseID, token: Int, ledger: LedgerID, startedAt: ContinuousClock.Instant, ran: Duration,
    result: AttemptResult, hint: RetryHint? = nil
  ) {
    (self.release, self.token, self.ledger) = (release, token, ledger)
    (self.startedAt, self.ran, self.result, self.hint) = (startedAt, ran, result, hint)
  }

  /// The report as it is sent now. It says how long ago the attempt began: the coordinator has another clock.
  func report(by worker: WorkerID, at now: ContinuousClock.Instant) -> Report {
    Report(
      release: release, token: token, ledger: ledger, worker: worker, startedAgo: startedAt.duration(to: now), ran: ran,
      result: result, hint: hint)
  }

  /// The same attempt, with an error in place of a result that the broker does not take; nil: there is no result. The job is
  /// not tried again: as with any result that is too large, its effects have happened.
  func unpublishable(_ reason: String) -> FinishedAttempt? {
    guard case .succeeded = result else { return nil }
    var failed = self
    failed.result = .failed(.unpublishable(result: reason), isPermanent: true)
    return failed
  }

  /// About how many bytes a report has beside its result.
  private static let sizeWithoutResult = 1_024

  /// About how many bytes the report has.
  var size: Int {
    guard case .succeeded(let result, _) = result else { return FinishedAttempt.sizeWithoutResult }
    return FinishedAttempt.sizeWithoutResult + result.count
  }
}

/// The runs that have ended, until the loop takes them, many at a time. At most one per teller.
///
/// A handler's task ends by leaving its result here. To call the worker's loop instead would take the loop onto the
/// handlers' threads, which may all be blocked.
final class FinishedRuns: Sendable {
  private struct State {
    var runs: [FinishedAttempt] = []
    /// With how many runs the signal is raised.
    var worthwhile = 1
  }

  /// Raised when there are enough runs to take.
  let signal = WorkerSignal()
  private let state = Mutex(State())

  func append(_ run: FinishedAttempt) {
    let isDue = state.withLock { state in
      state.runs.append(run)
      return state.runs.count == state.worthwhile
    }
    if isDue { signal.raise() }
  }

  func takeAll() -> [FinishedAttempt] {
    state.withLock { state in
      defer { state.runs = [] }
      return state.runs
    }
  }

  /// Sets with how many runs the signal is raised. Fewer runs are taken without a signal, at the next tick at the latest.
  func signal(at worthwhile: Int) {
    let isDue = state.withLock { state in
      state.worthwhile = max(1, worthwhile)
      return state.runs.count >= state.worthwhile
    }
    if isDue { signal.raise() }
  }
}
