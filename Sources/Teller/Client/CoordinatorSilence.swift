import Synchronization

/// Since when questions have found no answer.
final class CoordinatorSilence: Sendable {
  private let since = Mutex<ContinuousClock.Instant?>(nil)

  /// Something came from a coordinator.
  func heard() { forget() }

  /// Nobody waits for an answer any more.
  func forget() { since.withLock { $0 = nil } }

  /// How long there has been no answer to any question; zero when the last one had one.
  var time: Duration { since.withLock { $0.map { .now - $0 } ?? .zero } }

  /// A question found no answer since it was asked.
  ///
  /// - Returns: how long there has been none.
  func unanswered(askedAt: ContinuousClock.Instant) -> Duration {
    since.withLock { since in
      let start = since ?? askedAt
      since = start
      return .now - start
    }
  }
}
