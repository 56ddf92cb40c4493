import JobModel
import Synchronization

/// Asks a process how it is, and waits for a limited time. However many want to know, one question is under way at a
/// time: a process that hangs does not gather more and more of them.
final class HealthQuestion: Sendable {
  private struct State {
    var isAsked = false
    var waiting: [Int: CheckedContinuation<HealthReport?, Never>] = [:]
    var nextWaiter = 0
  }

  private let state = Mutex(State())
  private let report: @Sendable () async -> HealthReport

  init(_ report: @escaping @Sendable () async -> HealthReport) {
    self.report = report
  }

  /// The answer; nil when there is none within the limit. Who comes while a question is under way gets its answer.
  func answer(within limit: Duration) async -> HealthReport? {
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let timer = Task {
      try await Task.sleep(for: limit)
      giveUp(waiter)
    }
    defer { timer.cancel() }
    return await withCheckedContinuation { wait(as: waiter, $0) }
  }

  private func wait(as waiter: Int, _ continuation: CheckedContinuation<HealthReport?, Never>) {
    let isFirst = state.withLock { state in
      state.waiting[waiter] = continuation
      defer { state.isAsked = true }
      return !state.isAsked
    }
    if isFirst { Task { answered(await report()) } }
  }

  private func answered(_ report: HealthReport) {
    let waiting = state.withLock { state in
      defer { (state.isAsked, state.waiting) = (false, [:]) }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(returning: report) }
  }

  private func giveUp(_ waiter: Int) {
    state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume(returning: nil)
  }
}
