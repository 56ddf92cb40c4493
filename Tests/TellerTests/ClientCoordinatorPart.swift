import AMQP
import BrokerSupport
import JobModel
import JobTransport
import Synchronization
import TestSupport

@testable import Teller

/// Plays the coordinator's part towards a client, on a real broker and over the real wire: declares what lasts, reads
/// submissions and questions, and says what the test tells it to.
final class CoordinatorPart: Sendable {
  let connection: Connection
  private let submissions: Consumer
  /// What shared a message with the last submission, and was not asked for yet.
  private let opened = Mutex<ArraySlice<IncomingSubmission>>([])
  let url: String
  let ledger = LedgerID()

  /// How long a test waits for what must come; only ever spent on failure.
  static let patience: Duration = TestSupport.patience

  /// On a virtual host of its own.
  static func start(departments: [Department] = ["deposit", "init"]) async throws -> CoordinatorPart {
    try await start(at: try await BrokerNode.shared.makeVirtualHost(), departments: departments)
  }

  static func start(at url: String, departments: [Department] = ["deposit"]) async throws -> CoordinatorPart {
    try await settingUp("the coordinator's part has declared what lasts") {
      let connection = try await Connection.patient(to: url, name: "coordinator part")
      try await Topology.declareAll(on: connection, departments: departments)
      let submissions = try await connection.consume(
        Topology.Queue.submissions, options: ConsumeOptions(prefetch: 1_000))
      let part = CoordinatorPart(connection, submissions, url: url)
      // A coordinator looks for the end of the stream like that: a stream is never empty for long.
      _ = try await connection.publish(
        NotificationCodec.encode(marker: "start", ledger: part.ledger, at: NotificationPosition(epoch: 1, seq: 0)))
      return part
    }
  }

  private init(_ connection: Connection, _ submissions: Consumer, url: String) {
    self.connection = connection
    self.submissions = submissions
    self.url = url
  }

  /// A client of the same broker.
  func client(timeouts: ClientTimeouts = .quick) async throws -> TellerClient {
    try await TellerClient.connect(try TellerConfiguration(broker: url), timeouts: timeouts)
  }

  /// The next submission in the queue, its message read and acked.
  func nextSubmission() async throws -> IncomingSubmission {
    if let next = opened.withLock({ $0.popFirst() }) { return next }
    let part = self
    let error = { @Sendable in TellerError.timedOut(waitingFor: "a submission", limit: CoordinatorPart.patience) }
    return try await within(CoordinatorPart.patience, orThrow: error) {
      guard let delivery = await part.submissions.nextBatch(atMost: 1)?.first else { throw CancellationError() }
      try await part.connection.ack(delivery.deliveryTag)
      part.opened.withLock { $0 = Self.submissions(in: delivery)[...] }
      return try await part.nextSubmission()
    }
  }

  /// The submissions in a message. Those of tasks that submit at the same time may share one, which has no id.
  static func submissions(in delivery: Delivery) -> [IncomingSubmission] {
    (SubmissionCodec.unpack(delivery)?.submissions ?? [UnpackedSubmission(delivery)]).map(\.content)
  }

  /// The next submission, which must be a job.
  func nextJob() async throws -> Submission {
    guard case .job(let job) = try await nextSubmission() else {
      throw TellerError.notUnderstood(reason: "the submission is no job")
    }
    return job
  }

  func answer(_ job: JobID, _ address: ReplyAddress?, _ content: Reply.Content) async throws {
    guard let address else { throw TellerError.notUnderstood(reason: "the submission wants no answer") }
    let reply = Reply(job: job.description, correlationID: address.correlationID, content: content)
    try await connection.publish(ReplyCodec.encode(reply, to: address.replyTo))
  }

  func answer(_ job: Submission, _ content: Reply.Content) async throws {
    try await answer(job.id, job.reply, content)
  }

  /// Records events, as far as a stream can tell: the events with these numbers, all of the same job.
  func record(_ numbers: ClosedRange<Int64>, job: JobID = JobID(), epoch: Int = 1) async throws {
    let notifications = numbers.map { number in
      Notification(
        seq: number, job: job, kind: "deposit", department: "deposit", event: "succeeded", attempt: 1, at: .now())
    }
    let batch = NotificationBatch(ledger: ledger, epoch: epoch, notifications: notifications)
    let result = try await connection.publish(NotificationCodec.encode(batch))
    guard result == .confirmed else { throw TellerError.notUnderstood(reason: "the stream took no message: \(result)") }
  }

  /// Makes the stream anew, without a message.
  func emptyStream() async throws {
    try await connection.delete(queue: Topology.Queue.notifications)
    try await settingUp("the stream is there again") {
      let other = try await Connection.patient(to: url, name: "coordinator part")
      try await Topology.declareAll(on: other, departments: [])
      await other.close()
    }
  }

  /// Relays an event to those who watch at this moment.
  func relay(_ event: String, job: JobID) async throws {
    let notification = Notification(
      seq: nil, job: job, kind: "deposit", department: "deposit", event: event, attempt: 1, at: .now())
    try await connection.publish(NotificationCodec.encode(live: [notification]))
  }

  func close() async { await connection.close() }
}

extension TellerClient {
  /// The present connection of a line, or a new one.
  func connection(of line: ClientLine) async throws -> Connection {
    try await line.connection(to: try await core.links.current.node)
  }
}

extension Connection {
  /// Has the broker end the connection, as it does with whoever asks for a queue that is not there.
  func provokeLoss() async {
    var missing = QueueDeclaration("missing")
    missing.isPassive = true
    _ = try? await declare(missing)
  }
}

extension ClientTimeouts {
  /// Short silences and ticks, so that a test need not wait for them; long limits, because they are spent on failure.
  ///
  /// The limit of a question stays: one that came before anybody answered questions is asked again after it.
  static var quick: ClientTimeouts {
    var timeouts = ClientTimeouts()
    timeouts.silence = .milliseconds(300)
    timeouts.tick = .milliseconds(100)
    timeouts.connect = .seconds(300)
    timeouts.submit = .seconds(300)
    timeouts.coordinator = .seconds(300)
    timeouts.missingEvents = .seconds(300)
    return timeouts
  }
}

/// Runs a test of a limit that is to be reached, with longer and longer ones, until it is not the broker who uses it
/// up: a limit covers the broker's answer too, and one that is late is rightly told instead of what comes after it.
func withGrowingLimit<Value>(
  from first: Duration = .seconds(1), _ body: (_ limit: Duration) async throws -> Value
) async throws -> Value {
  var limit = first
  while true {
    do {
      return try await body(limit)
    } catch let error as TellerError where error.isOfSlowBroker && limit < CoordinatorPart.patience {
      limit = limit * 10
    }
  }
}

extension TellerError {
  /// Whether the broker had no time to answer.
  var isOfSlowBroker: Bool {
    switch self {
    case .brokerUnavailable: true
    case .incomplete(submitted: _, of: _, reason: let reason): reason.isOfSlowBroker
    default: false
    }
  }
}

/// What the tests submit.
struct Deposit: JobHandler {
  static let kind: JobKind = "deposit"
  struct Payload: Codable, Sendable, Hashable { var cents: Int }
  struct Output: Codable, Sendable, Hashable { var balance: Int }

  func run(context: JobContext<Payload>) async throws -> Output { Output(balance: context.payload.cents) }
}
