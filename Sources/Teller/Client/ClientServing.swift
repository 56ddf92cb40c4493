import AMQP
import JobModel
import JobTransport
import Logging

/// The client on its connections.
extension ClientCore {
  /// Serves until the task is cancelled, or the broker refuses and waiting cannot help.
  func run() async {
    await services.start()
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.watchOverWaits() }
      group.addTask { await self.pollOutcomes() }
      group.addTask { await self.tellServicesOfEvents() }
      end(await serve())
      group.cancelAll()
    }
    await lines.end()
    await services.stop()
  }

  /// - Returns: why the client has ended.
  private func serve() async -> TellerError {
    do {
      try await session.run { try await self.serve($0.consuming, at: $0.node) }
      return .closed
    } catch let error as AMQPError {
      return TellerError(final: error)
    } catch {
      return .closed
    }
  }

  /// Serves a new connection until it is lost or the task is cancelled.
  private func serve(_ consuming: Connection, at node: BrokerURL) async throws {
    let replyQueue = try await declareReplyQueue(on: consuming)
    let options = ConsumeOptions(prefetch: ClientCore.replyPrefetch)
    let replies = try await consuming.consume(replyQueue, options: options) { [weak consuming] batch in
      for delivery in batch { self.receive(delivery) }
      consuming?.ackSoon(contentsOf: batch.map(\.deliveryTag))
    }
    // Replies of the time without a connection are lost with the earlier queue. Later replies come into this one.
    jobs.markAllOverdue()
    // From now on a refusal is no mistake in the set-up: somebody is at work on the broker.
    session.becameReady()
    let link = links.connected(consuming, to: node)
    opening.learn(isConnected: true)
    defer {
      opening.learn(isConnected: false)
      links.disconnected(link)
      questions.interruptAll()
    }
    // Nothing waits in it: this waits for its end.
    _ = await replies.nextBatch(atMost: 1)
    if !Task.isCancelled { throw AMQPError.connectionLost(reason: "the reply queue is gone") }
  }

  private func receive(_ delivery: Delivery) {
    silence.end()
    if questions.receive(delivery) { return }
    let (replies, problem) = ReplyPacks.decode(delivery)
    for reply in replies {
      if let id = reply.submission { submissionTurns.replied(to: id) }
      jobs.receive(reply)
    }
    if let problem { logger.warning("a reply is not understood", metadata: ["reason": "\(problem)"]) }
  }
}
