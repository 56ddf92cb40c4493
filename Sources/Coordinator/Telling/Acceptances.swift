import Bookkeeping
import JobTransport

/// Lets acceptances wait for a moment: the outcome may come along. See ``Outbox/releaseAcceptances()``.
struct Acceptances {
  let outbox: Outbox

  /// How long an acceptance waits at most. A quick job alone ends within half of it.
  static let waitingTime: Duration = .milliseconds(5)

  func run() async throws {
    while await outbox.acceptancesWait.wait() {
      try await Task.sleep(for: Acceptances.waitingTime)
      outbox.releaseAcceptances()
    }
  }
}
