import AMQP
import AsyncAlgorithms
import Bookkeeping
import Decisions
import JobModel
import JobTransport
import Ledger
import Logging

/// Looks whether the notification stream is ahead of the ledger: then the ledger was rolled back, to a backup for
/// example, and its next notifications would have numbers that watchers have seen already. A new epoch begins instead,
/// and whatever an older one has released is claimed before it runs.
///
/// For a lease after that nothing is released and no claim is answered: workers that the ledger has forgotten about are
/// heard first, with what they run.
struct EpochCheck {
  let bookkeeper: Bookkeeper
  let connections: BrokerConnections
  let logger: Logger

  /// How long the stream may take; after that the coordinator goes on without knowing.
  static let limit: Duration = .seconds(10)

  func run() async throws {
    let own = try await bookkeeper.position()
    let last = try await withThrowingTaskGroup(of: NotificationPosition?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        try await StreamEnd(of: bookkeeper.ledger.id, on: connections, logger: logger).position(behind: own)
      }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: EpochCheck.limit, clock: .continuous) { break }
        try Task.checkCancellation()
        logger.warning("the notification stream does not answer; whether the ledger is behind it is not known")
        return nil
      }
      return try await group.next() ?? nil
    }
    guard try await bookkeeper.compare(withStreamAt: last) else { return }
    try await bookkeeper.waitUntilSafe()
    // What shows where the stream ended has hidden the evidence from the next one.
    let mark = NotificationCodec.encode(
      marker: JobID().description, ledger: bookkeeper.ledger.id, at: try await bookkeeper.position())
    guard try await connections.publishing.publish(mark) == .confirmed else {
      throw AMQPError.connectionLost(reason: "the notification stream refused a message")
    }
  }
}

extension AMQPError {
  /// A worker has a number that the ledger never gave: the session ends before anything is decided on it.
  static let ledgerIsBehind = AMQPError.connectionLost(reason: "the ledger was rolled back; a new epoch begins")
}
