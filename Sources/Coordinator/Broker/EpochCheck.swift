import AMQP
import AsyncAlgorithms
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
    // What shows where the stream ended has hidden the evidence from the next one.
    let mark = NotificationCodec.encode(
      marker: JobID().description, ledger: bookkeeper.ledger.id, at: try await bookkeeper.position())
    guard try await connections.publishing.publish(mark) == .confirmed else {
      throw AMQPError.connectionLost(reason: "the notification stream refused a message")
    }
  }
}

extension Bookkeeper {
  /// How far this ledger has come.
  func position() throws(LedgerError) -> NotificationPosition {
    NotificationPosition(epoch: parts.epoch.number, seq: try record { try $0.ledger.lastSeq() })
  }

  /// Begins a new epoch if the stream has notifications that the ledger has not, or a worker a number that the ledger
  /// never gave. `last`: the furthest of this ledger in the stream, nil when none was found. Returns whether it did; not
  /// when there is none left: no ledger is rolled back so often, so the numbers that it has seen were made up.
  func compare(withStreamAt last: NotificationPosition?) throws(LedgerError) -> Bool {
    let (own, epoch) = (try position(), parts.epoch)
    // Above all that were shown at once: each session that is ended for one more epoch is a lease in which nothing starts.
    let highest = max(last?.epoch ?? epoch.number, epoch.shown ?? epoch.number, epoch.number)
    guard epoch.shown != nil || last.map({ $0 > own }) == true else { return false }
    defer { epoch.shown = nil }
    guard highest < JobProgress.lastEpoch else {
      logger.error(
        "the ledger seems to be behind what it has told, but has no epoch left: it goes on in the present one",
        metadata: ["epoch": "\(epoch.number)", "seen": "\(highest)"])
      return false
    }
    epoch.number = try record { try $0.ledger.beginEpoch(atLeast: highest + 1, at: parts.time.now) }
    logger.warning(
      "the ledger is behind what it has told: it was rolled back; a new epoch begins",
      metadata: ["epoch": "\(epoch.number)", "ledger": "\(own.seq)", "stream": "\(last?.seq ?? 0)"])
    return true
  }
}
