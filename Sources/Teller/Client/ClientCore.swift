import AMQP
import AsyncAlgorithms
import JobModel
import JobTransport
import Logging
import Synchronization

/// What a client, its handles and its watches share: the connections, the reply queue, and what is known of jobs.
///
/// One reply queue serves everything that the client submits and asks. It has the same name on every connection, so that
/// what was submitted on one is answered on the next; another name only where the broker still keeps the queue of an
/// earlier connection, which it may until that one's node is back.
final class ClientCore: Sendable {
  /// How many replies may be under way un-acked.
  static let replyPrefetch: UInt16 = 1_000
  /// How many replies are taken in at once, before their acks go out.
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

  /// The queue that answers come to.
  var replyQueue: String { Topology.Queue.reply(replyID.withLock(\.self)) }

  /// Serves a new pair of connections until it is lost or the task is cancelled.
  func serve(_ consuming: Connection, _ publishing: Connection) async throws {
    let replyQueue = try await declareReplyQueue(on: consuming)
    let replies = try await consuming.consume(replyQueue, options: ConsumeOptions(prefetch: ClientCore.replyPrefetch))
    // What was answered meanwhile is lost with the queue. What is submitted from here on is answered into this one.
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
      try await Topology.declareReplyQueue(replyID.withLock(\.self), on: connection)
    } catch {
      // The connection ends with the refusal: the new name is for the next one.
      if case .channelClosed(code: 405, _) = error { replyID.withLock { $0 = JobID() } }
      throw error
    }
    return replyQueue
  }

  private func receive(_ delivery: Delivery) {
    silence.heard()
    if questions.receive(delivery) { return }
    do {
      jobs.receive(try ReplyCodec.decode(delivery))
    } catch {
      logger.warning("a reply is not understood", metadata: ["reason": "\(error)"])
    }
  }

  /// Asks about jobs that have been silent for long, and tells those who wait in vain.
  func watchOverWaits() async {
    for await _ in AsyncTimerSequence(interval: timeouts.tick, clock: .continuous) {
      if links.lostFor >= timeouts.coordinator {
        jobs.interruptAll(.brokerUnavailable(reason: "no connection for \(timeouts.coordinator)"))
      } else if links.present != nil {
        await askAboutSilentJobs()
      }
    }
  }

  /// No more answers to anybody.
  func end(_ error: TellerError) {
    links.end(error)
    jobs.end(error)
    questions.interruptAll()
  }
}
