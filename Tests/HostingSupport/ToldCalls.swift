import Synchronization
import TestSupport

/// What the services of a test were told, in the order of the calls, for a test that waits for it.
package final class ToldCalls: Sendable {
  private struct State {
    var all: [String] = []
    var waiting: [(isTrue: @Sendable ([String]) -> Bool, arrival: AsyncStream<Void>.Continuation)] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Everything so far.
  package var all: [String] { state.withLock(\.all) }

  /// Everything so far that one service was told, without its name.
  package func of(_ service: String) -> [String] {
    all.filter { $0.hasPrefix("\(service) ") }.map { String($0.dropFirst(service.count + 1)) }
  }

  package func note(_ call: String) {
    let arrived = state.withLock { state in
      state.all.append(call)
      let all = state.all
      let arrived = state.waiting.filter { $0.isTrue(all) }
      state.waiting.removeAll { $0.isTrue(all) }
      return arrived
    }
    for waiting in arrived { waiting.arrival.finish() }
  }

  /// Waits until a call was told, so many times.
  package func wait(for call: String, times: Int = 1) async throws {
    try await wait("\(call), \(times) times") { all in all.count { $0 == call } >= times }
  }

  /// Waits until what was told is so.
  package func wait(_ name: String, until isTrue: @escaping @Sendable ([String]) -> Bool) async throws {
    let (stream, arrival) = AsyncStream<Void>.makeStream()
    let isSo = state.withLock { state in
      if isTrue(state.all) { return true }
      state.waiting.append((isTrue, arrival))
      return false
    }
    if isSo { return }
    do {
      try await limited("told: \(name)") { for await _ in stream {} }
    } catch let error as TimeLimitExceeded {
      throw TimeLimitExceeded(name: error.name, limit: error.limit, lastState: all.joined(separator: ", "))
    }
  }
}
