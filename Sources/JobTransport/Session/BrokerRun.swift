import AMQP
import AsyncAlgorithms
import JobModel
import Logging

/// One life of a session's connections: from their opening until all are closed.
struct BrokerRun {
  let connections: BrokerConnections
  let board: BrokerStateBoard
  let logger: Logger
  /// How long the body may take to end once the session is cancelled.
  let cancellationLimit: Duration
  /// Is told what the broker does not take of what nobody waits for.
  let onRefused: @Sendable (RefusedTransient) -> Void

  typealias Lost = (loss: BrokerLoss, noticed: ContinuousClock.Instant)

  private enum Part {
    case body(Result<Void, any Error>)
    /// A connection's events have ended; nil: this side has closed it, or has stopped listening.
    case events(BrokerLoss?)
  }

  /// Runs the body until it ends or a connection is lost, and closes all connections.
  ///
  /// - Returns: the loss that ended the run, and when it was noticed; nil: the body has ended.
  /// - Throws: the error of the body, unless the broker is the reason.
  func run(_ body: @escaping @Sendable (BrokerConnections) async throws -> Void) async throws -> Lost? {
    let (result, loss, noticed) = await withTaskCancellationHandler {
      await runUntilClosed(body)
    } onCancel: {
      // Cancelling does not interrupt a call to the broker, such as a publish that waits for the end of an alarm;
      // closing the connections does.
      Task { [connections, cancellationLimit] in
        try await Task.sleep(for: cancellationLimit)
        await connections.close()
      }
    }
    return try ending(result, loss).map { (loss: $0, noticed: noticed) }
  }

  private func runUntilClosed(
    _ body: @escaping @Sendable (BrokerConnections) async throws -> Void
  ) async -> (Result<Void, any Error>, BrokerLoss?, noticed: ContinuousClock.Instant) {
    await withTaskGroup(of: Part.self) { group in
      group.addTask { .body(await Result(ofAwaiting: { () async throws(any Error) in try await body(connections) })) }
      for (role, connection) in connections.all {
        group.addTask { .events(await listen(to: connection, role)) }
      }
      // Beside the group: nobody waits for a timer when the body has ended.
      let pings = connections.all.map { role, connection in Task { await ping(connection, role) } }
      defer { for ping in pings { ping.cancel() } }
      var loss: BrokerLoss?
      var result = Result<Void, any Error>.success(())
      // Noted here: to end the body and to close the connections takes time.
      var noticed: ContinuousClock.Instant?
      while let part = await group.next() {
        noticed = noticed ?? .now
        switch part {
        case .body(let ended):
          result = ended
          // The listening goes on: its events tell whether a connection was lost before.
          await connections.close()
        case .events(let found?):
          loss = loss ?? found
          group.cancelAll()
          await connections.close()
        case .events(nil): break
        }
      }
      return (result, loss, noticed: noticed ?? .now)
    }
  }

  private func ending(_ result: Result<Void, any Error>, _ loss: BrokerLoss?) throws -> BrokerLoss? {
    do {
      try result.get()
      return loss
    } catch let error as AMQPError {
      return loss ?? .connection(error)
    } catch is CancellationError where loss != nil {
      // Cancelled because of the loss. Every other error of the body goes to its caller.
      return loss
    }
  }

  /// Notes again and again that the broker answers on a connection. Each connection has a channel of its own: what comes
  /// through one says nothing of the others.
  private func ping(_ connection: Connection, _ role: BrokerConnections.Role) async {
    for await _ in AsyncTimerSequence(interval: BrokerSession.pingInterval, clock: .continuous) {
      // The end of the connection is told by its events.
      guard (try? await connection.ping()) != nil else { return }
      board.answered(role, at: SessionClock.now)
    }
  }

  private func listen(to connection: Connection, _ role: BrokerConnections.Role) async -> BrokerLoss? {
    for await event in connection.events {
      switch event {
      case .blocked(let reason):
        board.setBlocked(true, role)
        logger.warning("broker blocked, nothing can be published: \(reason)")
      case .unblocked:
        board.setBlocked(false, role)
        logger.notice("broker no longer blocked")
      case .refused(let refused):
        logger.error(
          "the broker does not take a message, which is dropped",
          metadata: [
            "exchange": "\(refused.exchange)", "to": "\(refused.routingKey)", "bytes": "\(refused.size)",
            "reason": "\(refused.text)",
          ])
        onRefused(refused)
      case .consumerCancelled(let tag): return .consumerCancelled(tag: tag)
      case .closed(let error): return error.map { .connection($0) }
      }
    }
    return nil
  }
}
