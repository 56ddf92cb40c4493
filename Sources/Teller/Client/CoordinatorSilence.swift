import Synchronization

/// Since when no coordinator has answered a question about jobs.
final class CoordinatorSilence: Sendable {
  private let since = Mutex<ContinuousClock.Instant?>(nil)

  /// Ends the silence: a message came from a coordinator, or no task waits for an answer any more.
  func end() { since.withLock { $0 = nil } }

  /// How long no question has been answered; zero when the last one was.
  var time: Duration { since.withLock { $0.map { .now - $0 } ?? .zero } }

  /// Notes a question that was not answered.
  ///
  /// - Parameter askedAt: when it was asked: the silence began then, unless it had begun before.
  /// - Returns: how long the silence lasts by now.
  func unanswered(askedAt: ContinuousClock.Instant) -> Duration {
    since.withLock { since in
      let start = since ?? askedAt
      since = start
      return .now - start
    }
  }
}
