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
  let session: BrokerSession
  let logger: Logger
  var limit = EpochCheck.limit
  var pause = EpochCheck.pause

  /// How long the stream may take; after that the coordinator goes on without knowing.
  static let limit: Duration = .seconds(10)
  /// How long it waits before it asks such a stream again.
  static let pause: Duration = .seconds(5)

  /// - Returns: Nil when it is known; else where the ledger stands now, for ``lookAgain(from:until:)``.
  func run() async throws -> NotificationPosition? {
    let own = try await bookkeeper.safePosition()
    guard let end = try await end(behind: own) else {
      try await bookkeeper.streamIsUnknown(from: own)
      return own
    }
    let hasBegun = try await bookkeeper.compare(withStreamAt: end.last)
    let reached = try await bookkeeper.safePosition()
    if let last = end.last, last >= reached, !end.isBeforeQuestions { return nil }
    // A ledger that is restored later sees by it how far this one was, even if there is nothing to notify.
    let mark = NotificationCodec.encode(marker: JobID().description, ledger: bookkeeper.ledger.id, at: reached)
    let isMarked = try await inTime { try await $0.publish(mark) } == .confirmed
    guard isMarked || !hasBegun else {
      throw AMQPError.connectionLost(reason: "the notification stream has not taken the beginning of a new epoch")
    }
    return nil
  }

  /// Asks the stream until it answers. Before that nothing but questions of this session may be in it: anything else would
  /// hide the evidence.
  ///
  /// - Parameters:
  ///   - own: where the ledger stood when the session began.
  ///   - signal: closed when the session ends; then nobody has to know.
  /// - Returns: Whether it is known; else this session tells nothing, and the next one does.
  /// - Throws: ``AMQPError/ledgerIsBehind``: the next session begins a new epoch.
  func lookAgain(from own: NotificationPosition, until signal: Signal) async throws -> Bool {
    for await _ in AsyncTimerSequence(interval: pause, clock: .continuous) {
      if signal.isClosed { return false }
      guard let end = try await endIfAnswered(behind: own) else { continue }
      if try await bookkeeper.isBehind(streamAt: end.last, from: own) { throw AMQPError.ledgerIsBehind }
      // Notifications may be sent only after this is safe: a standby would take them for those of a later ledger.
      _ = try await bookkeeper.safePosition()
      logger.info("the notification stream answers: the ledger is not behind it")
      return true
    }
    throw CancellationError()
  }

  /// As ``end(behind:)``, but an error that another connection may mend is no answer either: whatever else the session does
  /// needs none.
  private func endIfAnswered(behind own: NotificationPosition) async throws -> StreamEnd.Found? {
    do {
      return try await end(behind: own)
    } catch let error as AMQPError where error.isTransient {
      logger.warning("the notification stream cannot be asked; trying again", metadata: ["reason": "\(error.cause)"])
      return nil
    }
  }

  private func end(behind own: NotificationPosition) async throws -> StreamEnd.Found? {
    let end = StreamEnd(of: bookkeeper.ledger.id, logger: logger)
    return try await inTime { try await end.find(behind: own, on: $0) }
  }

  /// Asks the stream on a connection of its own: nothing but its end ends the wait for a confirm that does not come.
  ///
  /// - Returns: Nil when the limit has passed, or no connection could be opened. While the broker takes nothing for lack of
  ///   memory or disk, the limit does not pass.
  private func inTime<Value: Sendable>(
    _ body: @escaping @Sendable (Connection) async throws -> Value?
  ) async throws -> Value? {
    guard let connection = await open() else {
      try Task.checkCancellation()
      return nil
    }
    let result = await withTaskGroup(of: Result<Value?, any Error>?.self) { group in
      group.addTask { await Result(ofAwaiting: { () async throws(any Error) in try await body(connection) }) }
      group.addTask {
        for await _ in AsyncTimerSequence(interval: limit, clock: .continuous) where session.state != .blocked { break }
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      await connection.close()
      return first
    }
    try Task.checkCancellation()
    if result == nil {
      logger.warning("the notification stream does not answer; whether the ledger is behind it is not known yet")
    }
    return try result?.get() ?? nil
  }

  /// Nil: no connection could be opened.
  private func open() async -> Connection? {
    do throws(AMQPError) {
      return try await connections.openForTrial()
    } catch {
      logger.warning(
        "no connection to ask the notification stream; whether the ledger is behind it is not known yet",
        metadata: ["reason": "\(error.cause)"])
      return nil
    }
  }
}

extension AMQPError {
  /// A worker has a number that the ledger never gave: the session ends before anything is decided on it.
  static let ledgerIsBehind = AMQPError.connectionLost(reason: "the ledger was rolled back; a new epoch begins")
}
