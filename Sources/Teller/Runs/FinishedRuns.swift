import JobModel
import Synchronization

/// The end of a handler's run.
struct FinishedRun: Sendable {
  var release: ReleaseID
  var startedAt: ContinuousClock.Instant
  var ran: Duration
  var result: AttemptResult
}

/// Where runs are put when they end, and taken from many at a time. Holds at most one per teller.
///
/// A handler's task ends by leaving its result here, not by calling the worker's loop: it would take the loop onto the
/// handlers' threads, which may all be blocked.
final class FinishedRuns: Sendable {
  private struct State {
    var runs: [FinishedRun] = []
    /// With how many runs to raise the signal.
    var worthwhile = 1
  }

  /// Raised when there is something to take.
  let signal = WorkerSignal()
  private let state = Mutex(State())

  func append(_ run: FinishedRun) {
    let isDue = state.withLock { state in
      state.runs.append(run)
      return state.runs.count == state.worthwhile
    }
    if isDue { signal.raise() }
  }

  func takeAll() -> [FinishedRun] {
    state.withLock { state in
      defer { state.runs = [] }
      return state.runs
    }
  }

  /// To be told from now on when there are that many, or at once if there are. Fewer are to be taken unasked by and by.
  func tell(of worthwhile: Int) {
    let isDue = state.withLock { state in
      state.worthwhile = max(1, worthwhile)
      return state.runs.count >= state.worthwhile
    }
    if isDue { signal.raise() }
  }
}
