import JobModel
import Synchronization

/// The cancellation of a handler's run: the worker's loop gives the reason, and the run reads it.
package final class RunControl: Sendable {
  /// Why a run was cancelled.
  package enum Reason: Hashable, Sendable {
    /// The run was longer than its time limit, which was this.
    case timeout(Duration)
    /// The run's job has ended: the job was cancelled, or should have begun earlier.
    case jobEnded
    /// The worker is closed: no report will be sent.
    case closed
  }

  private struct State {
    var task: Task<Void, Never>?
    var reason: Reason?
    /// Whether the run has a thread, or is not to have one any more; nil: it waits for one.
    var hasBegun: Bool?
    var hasReturned = false
  }

  private let state = Mutex(State())

  /// Why the run was cancelled; nil: nobody has cancelled it.
  var reason: Reason? { state.withLock(\.reason) }

  /// Whether it is to begin, and has no thread yet.
  var waitsForThread: Bool { state.withLock { $0.hasBegun == nil } }

  /// Whether its handler has begun and not returned.
  var isUnderWay: Bool { state.withLock { $0.hasBegun == true && !$0.hasReturned } }

  /// Whether the handler has returned. The hooks for failures may still be called.
  var hasReturned: Bool { state.withLock(\.hasReturned) }
  func handlerReturned() { state.withLock { $0.hasReturned = true } }

  /// The run has a thread.
  ///
  /// - Returns: false: it was given up before, and must do nothing.
  func begin() -> Bool { settle(hasBegun: true) }

  /// The run is not to begin any more, since there is no thread for it.
  ///
  /// - Returns: false: it has begun.
  func giveUp() -> Bool { settle(hasBegun: false) }

  private func settle(hasBegun: Bool) -> Bool {
    state.withLock { state in
      guard state.hasBegun == nil else { return false }
      state.hasBegun = hasBegun
      return true
    }
  }

  /// The run's task, once there is one.
  func attach(_ task: Task<Void, Never>) {
    let isCancelled = state.withLock { state in
      state.task = task
      return state.reason != nil
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the handler's task. Only the first reason counts.
  ///
  /// - Returns: whether this was the first.
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
