package import Foundation
import Synchronization

/// Holds calls until the test lets them go on. Cancellation does not open it: so a call that hangs for good is played.
package final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let condition = NSCondition()

  package init() {}

  package func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }

  /// Waits, and leaves its thread to others.
  package func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Blocks the thread, as a service should not.
  package func block() {
    condition.lock()
    while !state.withLock(\.isOpen) { condition.wait() }
    condition.unlock()
  }

  /// The same, at most until then: so that a test for which nothing is left to run on can fail.
  ///
  /// - Returns: whether the gate is open.
  package func block(until end: Date) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while !state.withLock(\.isOpen) {
      if !condition.wait(until: end) { return state.withLock(\.isOpen) }
    }
    return true
  }
}
