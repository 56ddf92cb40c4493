import DequeModule
import JobModel
package import JobTransport
import Synchronization

/// The messages that are to be told, in the order in which they were decided. A probe must reach a worker behind the grant
/// that caused the probe, so one queue holds all messages. An outbox lives as long as a session.
///
/// The readers keep its size bounded: each waits for ``waitForRoom()`` before it takes the next batch.
package final class Outbox: Sendable {
  /// Above it nobody takes on new work, in bytes.
  package static let limit = 8 * 1024 * 1024
  /// The most that is taken at once.
  package static let batchLimit = 512

  private struct State {
    var items: Deque<Outgoing> = []
    var acceptances = WaitingAcceptances()
    var size = 0
    /// Since when there has been no room, by the session's clock; nil: there is.
    var fullSince: Duration?
    /// Nothing more will come: whoever takes gets nil when it is empty.
    var isFinished = false
    var taker: CheckedContinuation<Void, Never>?
    var waitingForRoom: [CheckedContinuation<Void, Never>] = []

    /// Whether whoever takes has something to do.
    var isReady: Bool { !items.isEmpty || isFinished }
    /// Whether whoever fills may go on.
    var hasRoom: Bool { size <= Outbox.limit || isFinished }

    mutating func wakeable() -> [CheckedContinuation<Void, Never>] {
      var woken: [CheckedContinuation<Void, Never>] = []
      if isReady, let taker = taker.take() { woken.append(taker) }
      if hasRoom {
        woken += waitingForRoom
        waitingForRoom = []
      }
      return woken
    }
  }

  private let state = Mutex(State())
  private let clock: MachineClock
  /// Fired when acceptances wait: ``releaseAcceptances()`` is to be called a moment later.
  package let acceptancesWait = Signal()

  package init(clock: MachineClock = .system) { self.clock = clock }

  package func append(_ items: some Sequence<Outgoing>) {
    change { state in
      for item in items {
        state.items += state.acceptances.take(item)
        state.size += item.size
      }
    }
    if state.withLock({ !$0.acceptances.isEmpty }) { acceptancesWait.fire() }
  }

  /// Lets the acceptances go that have waited for an outcome.
  package func releaseAcceptances() { change { $0.items += $0.acceptances.takeAll() } }

  /// Whether less than the limit is waiting to be told.
  package var hasRoom: Bool { state.withLock(\.hasRoom) }

  /// Whether there has been no room for that long without a break: what is decided does not get out.
  package func wasFull(for time: Duration, until now: Duration) -> Bool {
    state.withLock(\.fullSince).map { now - $0 > time } ?? false
  }

  /// Nothing more will come; what is there can still be taken.
  package func finish() {
    change { state in
      state.items += state.acceptances.takeAll()
      state.isFinished = true
    }
  }

  /// Ends everybody's waiting and drops what is not yet taken: the ledger knows all of it.
  package func abandon() {
    change { state in
      state.isFinished = true
      state.items = []
      state.acceptances = WaitingAcceptances()
      state.size = 0
    }
  }

  /// Returns when less than the limit is waiting to be told. A cancelled task ends the session, and the outbox with it.
  package func waitForRoom(isolation: isolated (any Actor)? = #isolation) async {
    await wait(isolation) { state, continuation in
      guard !state.hasRoom else { return false }
      state.waitingForRoom.append(continuation)
      return true
    }
  }

  /// The next things to tell, at least one, in order; nil when there will be none.
  package func take(isolation: isolated (any Actor)? = #isolation) async -> [Outgoing]? {
    await wait(isolation) { state, continuation in
      guard !state.isReady else { return false }
      state.taker = continuation
      return true
    }
    let batch = takePresent()
    return batch.isEmpty ? nil : batch
  }

  /// The next things to tell, in order; none: there are none now.
  package func takePresent() -> [Outgoing] {
    var batch: [Outgoing] = []
    change { state in
      batch = Array(state.items.prefix(Outbox.batchLimit))
      state.items.removeFirst(batch.count)
      state.size -= batch.reduce(0) { $0 + $1.size }
    }
    return batch
  }

  private func change(_ body: (inout State) -> Void) {
    let woken = state.withLock { state in
      body(&state)
      state.fullSince = state.hasRoom ? nil : state.fullSince ?? clock.monotonic()
      return state.wakeable()
    }
    for continuation in woken { continuation.resume() }
  }

  /// Stays where it is, and waits unless `register`, under the lock, finds that there is nothing to wait for.
  private func wait(
    _ isolation: isolated (any Actor)?, _ register: (inout State, CheckedContinuation<Void, Never>) -> Bool
  ) async {
    await withTaskCancellationHandler {
      // A closure that does not name the isolation has none: its task would go on by way of another thread.
      _ = isolation
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          // Asked under the lock: a cancellation after this closes the outbox and wakes whoever waits.
          !Task.isCancelled && register(&state, continuation)
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      abandon()
    }
  }
}
