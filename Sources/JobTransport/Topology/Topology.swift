package import AMQP
package import JobModel

/// Every exchange, queue, binding and argument that Teller declares.
///
/// The names are public, and change only with a version. The arguments are permanent: a broker refuses to declare a queue
/// again with others. So a change here needs a queue of a new name, and a line in ``Topology/retired``.
package enum Topology {
  /// The names of the exchanges.
  package enum Exchange {
    /// AMQP's own: routes to the queue named as the routing key.
    package static let `default` = ""
    package static let submit = "teller.submit"
    /// Submissions that come ahead of their durable messages. Only a user who may submit may write here.
    package static let submitEarly = "teller.submit.early"
    package static let jobs = "teller.jobs"
    package static let reports = "teller.reports"
    package static let presence = "teller.presence"
    package static let control = "teller.control"
    /// A worker's messages to itself. Not by `control`: a user who may write there commands every worker.
    package static let echo = "teller.echo"
    package static let requests = "teller.requests"
    package static let admin = "teller.admin"
    package static let notifications = "teller.notifications"
    /// What the broker takes off the queues of submissions and reports.
    package static let deadLetters = "teller.dead-letters"
    /// Says by its alternate exchange to which ledger the virtual host belongs: see ``LedgerClaim``.
    package static let ledger = "teller.ledger"
  }

  /// The names of the queues.
  package enum Queue {
    package static let submissions = "teller.submissions.2"
    package static let reports = "teller.reports.2"
    /// What the broker took off these two. A stream: no policy takes messages off it for their `message-ttl`, their number or
    /// their returns.
    package static let deadLetters = "teller.dead-letters"
    /// The same again. Where a policy has the broker drop the oldest messages of a full queue, RabbitMQ 3.10 does not get
    /// them into a stream.
    package static let dropped = "teller.dropped"
    package static let presence = "teller.presence"
    package static let requests = "teller.requests"
    package static let admin = "teller.admin"
    package static let notifications = "teller.notifications"
    package static let rejected = "teller.rejected"
    package static let coordinator = "teller.coordinator"
    /// Messages that come ahead of their durable ones.
    package static let early = "teller.early"

    /// The queue of a department's assignments.
    package static func department(_ department: Department) -> String { "teller.department.\(department)" }
    /// A queue of assignments: the department's own, or that of a kind that not all of its workers know.
    package static func assignments(_ queue: JobQueue) -> String {
      queue.kind.map { "teller.department.\(queue.department).kind.\($0)" } ?? department(queue.department)
    }
    /// A worker's own queue of control messages, on the connection with that number.
    package static func worker(_ worker: WorkerID, session: Int) -> String { "\(workerPrefix)\(worker).\(session)" }
    fileprivate static let workerPrefix = "teller.worker."
    /// The queue of a client for its replies and answers, by a unique id. Its name says that the client reads packs.
    package static func reply(_ id: JobID) -> String { "\(ReplyPacks.queuePrefix)\(id)" }
  }

  /// A queue gets the messages of an exchange with a routing key.
  package struct Binding: Hashable, Sendable {
    package var queue: String
    package var exchange: String
    package var routingKey: String
  }
}

extension Topology {
  /// Every exchange.
  package static let exchanges = [
    ExchangeDeclaration(Exchange.submit, kind: .fanout),
    ExchangeDeclaration(Exchange.submitEarly, kind: .fanout),
    ExchangeDeclaration(Exchange.jobs, kind: .direct),
    ExchangeDeclaration(Exchange.reports, kind: .direct),
    ExchangeDeclaration(Exchange.presence, kind: .direct),
    ExchangeDeclaration(Exchange.control, kind: .direct),
    ExchangeDeclaration(Exchange.echo, kind: .direct),
    ExchangeDeclaration(Exchange.requests, kind: .direct),
    ExchangeDeclaration(Exchange.admin, kind: .direct),
    ExchangeDeclaration(Exchange.notifications, kind: .topic),
    ExchangeDeclaration(Exchange.deadLetters, kind: .fanout),
  ]

  /// Every lasting queue, except those of the departments.
  package static let queues = [
    submissions, reports, presence, early, mailbox(Queue.requests), mailbox(Queue.admin), rejected, notifications,
    deadLetters, dropped,
  ]

  /// The bindings of the queues of `queues`.
  package static let bindings = [
    Binding(queue: Queue.submissions, exchange: Exchange.submit, routingKey: RoutingKey.submit),
    Binding(queue: Queue.reports, exchange: Exchange.reports, routingKey: RoutingKey.reports),
    Binding(queue: Queue.presence, exchange: Exchange.presence, routingKey: Queue.presence),
    Binding(queue: Queue.early, exchange: Exchange.submitEarly, routingKey: RoutingKey.submit),
    Binding(queue: Queue.early, exchange: Exchange.presence, routingKey: RoutingKey.earlyReports),
    Binding(queue: Queue.requests, exchange: Exchange.requests, routingKey: Queue.requests),
    Binding(queue: Queue.admin, exchange: Exchange.admin, routingKey: Queue.admin),
    Binding(queue: Queue.notifications, exchange: Exchange.notifications, routingKey: RoutingKey.log),
    Binding(queue: Queue.deadLetters, exchange: Exchange.deadLetters, routingKey: ""),
    Binding(queue: Queue.dropped, exchange: Exchange.deadLetters, routingKey: ""),
  ]

  /// A department's own queue, or that of a kind that not all of the department's workers have a handler for.
  package static func queue(_ queue: JobQueue) -> QueueDeclaration {
    var arguments = QueueArguments(type: QueueTypes.departments)
    arguments.maxPriority = UInt8(Priority.levels.upperBound)
    return QueueDeclaration(Queue.assignments(queue), arguments: arguments)
  }

  /// The binding of such a queue.
  package static func binding(_ queue: JobQueue) -> Binding {
    Binding(
      queue: Queue.assignments(queue), exchange: Exchange.jobs, routingKey: RoutingKey.assignments(to: queue))
  }

  /// The queue of a worker's control messages: it goes with the worker's connection. On each connection it has another
  /// name: until the broker has noticed the end of a connection, no other connection may have its queue; while the
  /// connection's node is down, not before the node is back (seen with RabbitMQ 4.3, not with 4.0).
  package static func workerQueue(_ worker: WorkerID, session: Int) -> QueueDeclaration {
    exclusive(Queue.worker(worker, session: session))
  }

  /// The bindings of a worker's queue: messages to all workers, to the workers of its departments, to this worker, and its
  /// own echo.
  package static func workerBindings(_ worker: WorkerID, session: Int, departments: [Department]) -> [Binding] {
    let queue = Queue.worker(worker, session: session)
    let keys = [RoutingKey.allWorkers] + departments.map(RoutingKey.workers(of:)) + [RoutingKey.worker(worker)]
    return keys.map { Binding(queue: queue, exchange: Exchange.control, routingKey: $0) }
      + [Binding(queue: queue, exchange: Exchange.echo, routingKey: RoutingKey.worker(worker))]
  }

  /// The queue of a client for its replies and answers: it goes with its connection, or when it is no longer consumed.
  /// It has no binding: messages come by its name.
  package static func replyQueue(_ id: JobID) -> QueueDeclaration { exclusive(Queue.reply(id)) }

  /// The declaration of a queue that goes with its connection, by the queue's name; nil: another queue.
  static func ofConnection(_ name: String) -> QueueDeclaration? {
    [Queue.workerPrefix, ReplyPacks.queuePrefix].contains(where: name.hasPrefix) ? exclusive(name) : nil
  }

  /// The queue that serves the one active coordinator. It has copies on several nodes. An exclusive queue would be on one
  /// node, and while that is down no other connection may have it (seen with RabbitMQ 4.3, not with 4.0).
  package static let coordinatorQueue: QueueDeclaration = {
    var arguments = oneConsumerAtATime(QueueTypes.coordinator)
    arguments.maxLength = 1_000
    return QueueDeclaration(Queue.coordinator, arguments: arguments)
  }()
}

extension Topology {
  /// A queue of an earlier version, and what is in it.
  package struct RetiredQueue: Hashable, Sendable {
    package var name: String
    package var contents: Mail
  }

  /// What the senders of messages rely on the coordinator to record. The texts are public: they say where a rejected message
  /// came from, whatever the version calls the queue.
  package enum Mail: String, Sendable, CaseIterable {
    case submissions = "teller.submissions"
    case reports = "teller.reports"
  }

  /// The queues of earlier versions. A coordinator that finds one reads what waits in it, and deletes it.
  package static let retired = [
    RetiredQueue(name: "teller.submissions", contents: .submissions),
    RetiredQueue(name: "teller.reports", contents: .reports),
  ]
}

extension Topology {
  /// What stands before a ledger's id in the claim of a virtual host.
  static let claimPrefix = "teller.ledger."

  /// The exchange that makes the virtual host that ledger's. No exchange of the alternate's name is ever made.
  package static func claim(of ledger: LedgerID) -> ExchangeDeclaration {
    var exchange = ExchangeDeclaration(Exchange.ledger, kind: .direct)
    exchange.alternate = claimPrefix + ledger.text
    return exchange
  }
}

extension Topology {
  /// The type of each queue. Department queues are classic on every version of the broker: quorum queues have no priorities
  /// up to 3.13 and only two bands in 4.0–4.2, and from 4.3 on a returned message loses its priority.
  private enum QueueTypes {
    static let submissions = QueueArguments.QueueType.quorum
    static let reports = QueueArguments.QueueType.quorum
    static let coordinator = QueueArguments.QueueType.quorum
    static let streams = QueueArguments.QueueType.stream
    static let departments = QueueArguments.QueueType.classic
    static let others = QueueArguments.QueueType.classic
  }

  /// After so many redeliveries a quorum queue drops a message. Never absent: 4.0 would drop after 20. Never -1: 3.10 would
  /// drop at the first.
  private static let deliveryLimit = 1_000_000
  /// How long a coordinator keeps a queue once its node of the broker is out of reach: longer than another copy of the
  /// queue takes to lead. A broker before 4.3 does not know it, and does not wait.
  private static let disconnectedTimeout: Duration = .seconds(2)
  private static let mebibyte = 1 << 20

  /// A queue that serves one coordinator until that is gone.
  private static func oneConsumerAtATime(_ type: QueueArguments.QueueType) -> QueueArguments {
    var arguments = QueueArguments(type: type)
    arguments.deliveryLimit = deliveryLimit
    arguments.singleActiveConsumer = true
    arguments.consumerDisconnectedTimeout = disconnectedTimeout
    return arguments
  }

  /// The queue of messages whose senders rely on them. What a policy, or the broker's own limit, takes off it is
  /// dead-lettered, and comes back to the coordinator.
  private static func keeping(_ type: QueueArguments.QueueType) -> QueueArguments {
    var arguments = oneConsumerAtATime(type)
    arguments.overflow = .rejectPublish
    arguments.deadLetterExchange = Exchange.deadLetters
    arguments.deadLettersAtLeastOnce = true
    return arguments
  }

  private static let submissions: QueueDeclaration = {
    var arguments = keeping(QueueTypes.submissions)
    arguments.maxLength = 200_000
    arguments.maxLengthBytes = 512 * mebibyte
    return QueueDeclaration(Queue.submissions, arguments: arguments)
  }()

  /// Without a length limit: every report must come through. The windows of the departments bound its length.
  private static let reports = QueueDeclaration(
    Queue.reports, arguments: keeping(QueueTypes.reports))

  /// With a time to live: so a restarted coordinator does not take a dead worker for a living one.
  private static let presence: QueueDeclaration = {
    var arguments = QueueArguments(type: QueueTypes.others)
    arguments.maxLength = 10_000
    arguments.messageTTL = .seconds(10)
    return QueueDeclaration(Queue.presence, arguments: arguments)
  }()

  /// Messages that come ahead of their durable ones. They are worth nothing later, and are dropped where there are too many:
  /// each comes once more. One coordinator gets them: a submission that two accepted would run twice.
  private static let early: QueueDeclaration = {
    var arguments = QueueArguments(type: QueueTypes.others)
    arguments.singleActiveConsumer = true
    arguments.maxLength = 1_000
    arguments.messageTTL = .seconds(1)
    return QueueDeclaration(Queue.early, arguments: arguments)
  }()

  /// Questions and commands. Their senders do not wait longer for an answer than the messages live.
  private static func mailbox(_ name: String) -> QueueDeclaration {
    var arguments = QueueArguments(type: QueueTypes.others)
    arguments.messageTTL = .seconds(30)
    arguments.maxLength = 10_000
    arguments.overflow = .rejectPublish
    return QueueDeclaration(name, arguments: arguments)
  }

  private static let rejected: QueueDeclaration = {
    var arguments = QueueArguments(type: QueueTypes.others)
    arguments.maxLength = 10_000
    arguments.maxLengthBytes = 64 * mebibyte
    return QueueDeclaration(Queue.rejected, arguments: arguments)
  }()

  private static let notifications = QueueDeclaration(Queue.notifications, arguments: streamArguments)

  private static let deadLetters = QueueDeclaration(Queue.deadLetters, arguments: streamArguments)

  private static let dropped: QueueDeclaration = {
    var arguments = oneConsumerAtATime(.quorum)
    arguments.maxLength = 200_000
    arguments.maxLengthBytes = 512 * mebibyte
    return QueueDeclaration(Queue.dropped, arguments: arguments)
  }()

  private static let streamArguments: QueueArguments = {
    var arguments = QueueArguments(type: QueueTypes.streams)
    arguments.maxLengthBytes = 1024 * mebibyte
    arguments.streamMaxSegmentSizeBytes = 64 * mebibyte
    return arguments
  }()

  private static func exclusive(_ name: String) -> QueueDeclaration {
    var queue = QueueDeclaration(name, arguments: QueueArguments(type: QueueTypes.others))
    queue.isDurable = false
    queue.isExclusive = true
    queue.isAutoDelete = true
    return queue
  }
}
