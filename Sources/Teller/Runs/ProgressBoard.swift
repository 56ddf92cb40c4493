import JobModel
import JobTransport
import Synchronization

/// How far the worker's runs have come, on its way from the handlers to the coordinator: the latest word of each run.
///
/// A handler leaves its word here and goes on. The loop takes what has changed, at most once in each ``interval``. Of a run
/// that never says anything, nothing is here. Each take forgets the runs that have ended, so there is at most one entry for
/// each run since the last take.
final class ProgressBoard: Sendable {
  /// The time from one message to the next. Of the words of a run in between only the last one is sent.
  static let interval: Duration = .seconds(1)

  private struct Entry {
    var latest: RunProgress
    /// Nil: nothing was sent.
    var sent: RunProgress?
  }

  private struct State {
    var entries: [RunningRelease: Entry] = [:]
    var changed: Set<RunningRelease> = []
    /// Of the present connection; nil: there is none.
    var due: WorkerSignal?
  }

  private let state = Mutex(State())

  /// Takes in a word of a run's handler; on any thread.
  func note(_ progress: RunProgress, of run: RunningRelease) {
    let due = state.withLock { state -> WorkerSignal? in
      guard state.entries[run]?.latest != progress else { return nil }
      state.entries[run, default: Entry(latest: progress)].latest = progress
      return state.changed.insert(run).inserted ? state.due : nil
    }
    due?.raise()
  }

  /// From now on the signal is raised when there is something to send.
  func connect(_ due: WorkerSignal) {
    let isDue = state.withLock { state in
      state.due = due
      return !state.changed.isEmpty
    }
    if isDue { due.raise() }
  }

  func disconnect() { state.withLock { $0.due = nil } }

  /// Takes the latest words that have changed since they were sent, and forgets the runs that have ended.
  func takeChanges(of isRunning: (RunningRelease) -> Bool) -> [WorkerProgress.Run] {
    state.withLock { state in
      state.entries = state.entries.filter { isRunning($0.key) }
      let changed = state.changed
      state.changed = []
      return changed.compactMap { run in
        guard let entry = state.entries[run], entry.latest != entry.sent else { return nil }
        state.entries[run]?.sent = entry.latest
        return WorkerProgress.Run(release: run.release, token: run.token, entry.latest)
      }
    }
  }

  /// Has the latest words of these runs sent again: they were not sent after all.
  func putBack(_ runs: [WorkerProgress.Run]) { sendAgain { state in runs.map(\.running) } }

  /// Has the latest words of all runs sent again: a coordinator that has just started knows none.
  func putAllBack() { sendAgain { Array($0.entries.keys) } }

  private func sendAgain(_ runs: (borrowing State) -> [RunningRelease]) {
    let due = state.withLock { state -> WorkerSignal? in
      for run in runs(state) where state.entries[run] != nil {
        state.entries[run]?.sent = nil
        state.changed.insert(run)
      }
      return state.changed.isEmpty ? nil : state.due
    }
    due?.raise()
  }
}

/// Where one run says how far it has come.
enum ProgressLine: Sendable {
  case worker(ProgressBoard, RunningRelease)
  /// In a test of a handler.
  case test(@Sendable (RunProgress) -> Void)

  func say(_ progress: RunProgress) {
    switch self {
    case .worker(let board, let run): board.note(progress, of: run)
    case .test(let function): function(progress)
    }
  }
}
