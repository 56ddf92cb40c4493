import JobTransport
import Processes
import Synchronization

/// A value that comes once. Any number of tasks may wait for it; a task that asks later gets it at once.
package final class OneShot<Value: Sendable>: Sendable {
  private typealias Continuation = CheckedContinuation<Value, any Error>

  private struct State {
    var result: Result<Value, any Error>?
    var waiting: [UInt64: Continuation] = [:]
    var lastWaiter: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// Gives the value, or the error instead. Only the first call counts.
  package func fulfil(_ result: Result<Value, any Error>) {
    let waiting = state.withLock { state -> [UInt64: Continuation] in
      guard state.result == nil else { return [:] }
      state.result = result
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(with: result) }
  }

  var isFulfilled: Bool { state.withLock { $0.result != nil } }

  /// The value, if it has come.
  var present: Value? { state.withLock { try? $0.result?.get() } }

  /// The value.
  ///
  /// - Throws: the error that was given instead, or `CancellationError`.
  package var value: Value {
    get async throws {
      let id = state.withLock { state in
        state.lastWaiter += 1
        return state.lastWaiter
      }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { wait($0, as: id) }
      } onCancel: {
        let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
        continuation?.resume(throwing: CancellationError())
      }
    }
  }

  private func wait(_ continuation: Continuation, as id: UInt64) {
    let result = state.withLock { state -> Result<Value, any Error>? in
      if let result = state.result { return result }
      // Under the lock: a later cancellation finds the waiter, an earlier one is seen here.
      if Task.isCancelled { return .failure(CancellationError()) }
      state.waiting[id] = continuation
      return nil
    }
    if let result { continuation.resume(with: result) }
  }
}

extension OneShot<Void> {
  /// Gives the signal.
  func fulfil() { fulfil(.success(())) }
}

extension OneShot {
  /// Runs a body in a task of its own, so that the wait for it ends at once with the caller's task. The body's task is
  /// cancelled then, too.
  static func value(of body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let answer = OneShot()
    let task = Task { answer.fulfil(await Result(ofAwaiting: body)) }
    return try await withTaskCancellationHandler {
      try await answer.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Runs a body that may block on a thread of its own, so that it holds up none of those that Swift's tasks share. The wait
  /// for it ends at once with the caller's task; the thread ends with the body.
  ///
  /// - Parameters:
  ///   - name: For people who look at the process; 15 bytes of it are kept.
  ///   - body: What runs on the thread.
  /// - Returns: What the body returns.
  /// - Throws: `NoThread`, `CancellationError`, or what the body throws.
  package static func onThread(
    named name: String, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let answer = OneShot()
    if let problem = OwnThread.start(name, { answer.fulfil(Result { try body() }) }) { throw NoThread(reason: problem) }
    return try await answer.value
  }

  /// Runs a body that cannot be cancelled in a task of its own, so that the wait for it can be cancelled.
  static func running(_ body: @escaping @Sendable () async throws -> Value) -> OneShot {
    let answer = OneShot()
    Task { answer.fulfil(await Result(ofAwaiting: body)) }
    return answer
  }
}

/// The system has no thread left.
struct NoThread: Error, CustomStringConvertible {
  /// In the system's words.
  let reason: String

  var description: String { "no thread can be started: \(reason)" }
}
