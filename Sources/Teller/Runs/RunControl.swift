import JobModel
import Synchronization

/// What the worker's loop and the run of a handler share: that the run shall end, and why.
final class RunControl: Sendable {
  /// Why a run was cancelled.
  enum Reason: Hashable, Sendable {
    /// It ran for longer than this, its time limit.
    case timeout(Duration)
    /// Its job has ended otherwise: it was cancelled, or should have begun earlier.
    case jobEnded
    /// The worker stops at once; nobody will hear of the run's end.
    case closed
  }

  private struct State {
    var task: Task<Void, Never>?
    var reason: Reason?
  }

  private let state = Mutex(State())

  /// Why it was cancelled; nil while it was not.
  var reason: Reason? { state.withLock(\.reason) }

  /// The run's task, once there is one.
  func attach(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.reason != nil
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the handler's task. The first reason counts; returns whether this was the first.
  @discardableResult
  func cancel(_ reason: Reason) -> Bool {
    let (isFirst, task) = state.withLock { state in
      defer { state.reason = state.reason ?? reason }
      return (state.reason == nil, state.task)
    }
    if isFirst { task?.cancel() }
    return isFirst
  }
}

extension AttemptResult {
  /// What an error that a handler threw makes of its attempt. Once it was cancelled, whatever it throws is how it obeyed.
  init(thrown error: any Error, cancelled reason: RunControl.Reason?) {
    switch reason {
    case .timeout(let limit): self = .failed(.timeout(limit), isPermanent: false)
    case .jobEnded: self = .failed(.cancelled(by: "the coordinator"), isPermanent: false)
    case .closed, nil: self.init(thrown: error)
    }
  }
}
