import AMQP
import JobModel
import JobTransport
import Logging
import Synchronization

/// The part that a client, its handles and its watches share: the connections, the reply queue, and the tracked jobs.
///
/// One reply queue serves all submissions and questions of the client. The queue has the same name on every connection,
/// so a reply to a submission of the last connection comes on the next one. The queue gets another name only where the
/// broker still keeps the queue of an earlier connection: the broker may, until the node of that connection is back.
final class ClientCore: Sendable {
  /// How many replies may be un-acked.
  static let replyPrefetch: UInt16 = 1_000
  /// How many replies are read before their acks go out.
  static let replyBatch = 256

  let timeouts: ClientTimeouts
  let logger: Logger
  let links = ClientLinks()
  let jobs = TrackedJobs()
  let questions = OpenQuestions()
  let openSubmissions = OpenSubmissions()
  let silence = CoordinatorSilence()
  private let replyID = Mutex(JobID())

  init(timeouts: ClientTimeouts, logger: Logger) {
    self.timeouts = timeouts
    self.logger = logger
  }

  /// The name of the queue that replies and answers come to.
  var replyQueue: String { Topology.Queue.reply(replyID.withLock(\.self)) }

  /// Serves a new pair of connections until it is lost or the task is cancelled.
  func serve(_ consuming: Connection, _ publishing: Connection) async throws {
    let replyQueue = try await declareReplyQueue(on: consuming)
    let replies = try await consuming.consume(replyQueue, options: ConsumeOptions(prefetch: ClientCore.replyPrefetch))
    // Replies of the time without a connection are lost with the earlier queue. Later replies come into this one.
    jobs.markAllOverdue()
    let link = links.connected(consuming, publishing)
    defer {
      links.disconnected(link)
      questions.interruptAll()
    }
    while let batch = await replies.nextBatch(atMost: ClientCore.replyBatch) {
      for delivery in batch { receive(delivery) }
      try await consuming.ack(contentsOf: batch.map(\.deliveryTag))
    }
    if !Task.isCancelled { throw AMQPError.connectionLost(reason: "the reply queue is gone") }
  }

  private func declareReplyQueue(on connection: Connection) async throws(AMQPError) -> String {
    do {
      try await connection.declare(Topology.replyQueue(replyID.withLock(\.self)))
    } catch {
      // The refusal ends this connection: the new name is for the next one.
      if case .channelClosed(code: 405, _) = error { replyID.withLock { $0 = JobID() } }
      throw error
    }
    return replyQueue
  }

  private func receive(_ delivery: Delivery) {
    silence.end()
    if questions.receive(delivery) { return }
    do {
      jobs.receive(try ReplyCodec.decode(delivery))
    } catch {
      logger.warning("a reply is not understood", metadata: ["reason": "\(error)"])
    }
  }

  /// Ends every present and later wait with the error.
  func end(_ error: TellerError) {
    links.end(error)
    jobs.end(error)
    questions.interruptAll()
  }
}
