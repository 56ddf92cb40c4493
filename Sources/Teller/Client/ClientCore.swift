import AMQP
import Hosting
import JobModel
import JobTransport
import Logging
import Synchronization

/// The part that a client, its handles and its watches share: the connections, the reply queue, and the tracked jobs.
///
///     links   the connection for replies and answers; a session replaces a lost one
///     lines   a connection for each other purpose, to the same node, once it is needed
///
/// One reply queue serves all submissions and questions of the client. The queue has the same name on every connection,
/// so a reply to a submission of the last connection comes on the next one. The queue gets another name only where the
/// broker still keeps the queue of an earlier connection: the broker may, until the node of that connection is back.
final class ClientCore: Sendable {
  /// How many replies may be un-acked.
  static let replyPrefetch: UInt16 = 1_000

  let timeouts: ClientTimeouts
  let logger: Logger
  let links = ClientLinks()
  let lines: ClientLines
  let jobs = TrackedJobs()
  let questions = OpenQuestions()
  let openSubmissions = OpenSubmissions()
  let room = SubmissionRoom()
  let submissionTurns = SubmissionTurns()
  let sharedSubmissions: SharedSubmissions
  let silence = CoordinatorSilence()
  let services: HostedServices
  /// Fulfilled when there is a service.
  let hasServices = OneShot<Void>()
  let opening: ClientOpening
  let session: BrokerSession
  private let replyID = Mutex(JobID())
  /// Whether the log has said that handlers keep their tellers while they wait.
  let hasWarnedOfWait = Mutex(false)

  init(_ source: BrokerSource, name: String, timeouts: ClientTimeouts, logger: Logger) {
    self.timeouts = timeouts
    self.logger = logger
    services = HostedServices(logger: logger)
    opening = ClientOpening(services)
    lines = ClientLines(source, name: name, logger: logger, opening: opening)
    sharedSubmissions = SharedSubmissions(lines.submitting, limit: timeouts.submit, turns: submissionTurns)
    var options = BrokerSessionOptions(publishes: false)
    options.refusedLimit = timeouts.refused
    session = BrokerSession(source, name: name, logger: logger, options: options)
  }

  /// The name of the queue that replies and answers come to.
  var replyQueue: String { Topology.Queue.reply(replyID.withLock(\.self)) }

  /// The error when there has been no connection for that long; nil: nobody has waited.
  func noConnection(for time: Duration?) -> TellerError {
    let cause = session.lossCause ?? "no connection to \(session.source.url)"
    return .brokerUnavailable(reason: time.map { "\(cause), tried for \($0.inWords)" } ?? cause)
  }

  /// The obstacles of a call on that line. `waited`: the limit of the call.
  func obstacle(on line: ClientLine, waited: Duration) -> Obstacle {
    Obstacle(waited: waited) { [self] waited in
      if !links.hasBegun { return .notRunning }
      if let reason = line.blocked { return .brokerBlocked(reason: reason) }
      return session.lossCause == nil ? nil : noConnection(for: waited)
    }
  }

  /// Declares the queue for replies. Where the broker still has the one of another connection, the next call declares one with
  /// another name.
  func declareReplyQueue(on connection: Connection) async throws(AMQPError) -> String {
    do {
      try await connection.declare(Topology.replyQueue(replyID.withLock(\.self)))
    } catch {
      // The refusal ends this connection: the new name is for the next one.
      if case .channelClosed(code: 405, _) = error { replyID.withLock { $0 = JobID() } }
      throw error
    }
    return replyQueue
  }

  /// Ends every present and later wait with the error.
  func end(_ error: TellerError) {
    links.end(error)
    jobs.end(error)
    questions.interruptAll()
  }
}
