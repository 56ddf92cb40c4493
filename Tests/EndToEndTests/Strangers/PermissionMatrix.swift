/// What each user of the definitions may do with every exchange and queue; everything else is refused. This table is
/// what is intended: the test tries every cell of it against a broker.
struct PermissionMatrix {
  /// May be declared, and deleted.
  var configures: Set<String> = []
  /// Exchanges that may be published to. Who may bind queues of some name may also publish to exchanges of that name,
  /// which nobody has.
  var publishes: Set<String> = []
  /// Queues that may be consumed, got from, and purged: AMQP has one permission for these.
  var reads: Set<String> = []
  /// Queues that may be bound, to any of `sources`; exchanges that may be bound are those of `publishes`.
  var binds: Set<String> = []
  /// Exchanges that may be bound to.
  var sources: Set<String> = []

  static let exchanges = [
    "teller.submit", "teller.jobs", "teller.reports", "teller.presence", "teller.control", "teller.echo",
    "teller.requests", "teller.admin", "teller.notifications", "teller.submit.early", "teller.ledger",
    "teller.dead-letters",
  ]
  /// Those that last, and one each of those that come and go: `own` belongs to the connection that tries, another one of
  /// the same kind, `other`, to a connection of somebody else.
  static let queues = [
    "teller.submissions.2", "teller.reports.2", "teller.dropped", "teller.presence", "teller.requests",
    "teller.admin", "teller.rejected", "teller.notifications", "teller.coordinator", "teller.early",
    "teller.dead-letters", "teller.department.work", "teller.department.work.kind.new", "teller.department.other",
    "teller.department.other.kind.new", "teller.worker.other", "teller.reply.other",
  ]
  /// Nobody has these.
  static let free = [
    "teller.worker.own", "teller.reply.own", "teller.department.new", "teller.new", "new", "amq.gen-new",
  ]

  static let users: [String: PermissionMatrix] = [
    "coordinator": PermissionMatrix(
      configures: Set(exchanges + queues + ["teller.department.new"])
        .subtracting(["teller.worker.other", "teller.reply.other"]),
      publishes: [
        "", "teller.jobs", "teller.reports", "teller.presence", "teller.control", "teller.requests", "teller.admin",
        "teller.notifications", "teller.department.new", "teller.dead-letters",
      ],
      reads: [
        "teller.submissions.2", "teller.reports.2", "teller.dropped", "teller.presence", "teller.requests",
        "teller.admin", "teller.notifications", "teller.coordinator", "teller.early", "teller.dead-letters",
      ],
      binds: [
        "teller.submissions.2", "teller.reports.2", "teller.dropped", "teller.presence", "teller.requests",
        "teller.admin", "teller.notifications", "teller.department.work", "teller.department.work.kind.new",
        "teller.department.other", "teller.department.other.kind.new", "teller.early", "teller.dead-letters",
      ],
      sources: [
        "teller.submit", "teller.jobs", "teller.reports", "teller.presence", "teller.requests", "teller.admin",
        "teller.notifications", "teller.submit.early", "teller.ledger",
        "teller.dead-letters",
      ]),
    "worker": PermissionMatrix(
      configures: ["teller.worker.own", "teller.worker.other"],
      publishes: ["teller.reports", "teller.presence", "teller.echo", "teller.worker.own"],
      reads: [
        "teller.department.work", "teller.department.work.kind.new", "teller.department.other",
        "teller.department.other.kind.new", "teller.worker.other",
      ],
      binds: ["teller.worker.other", "teller.presence"],
      sources: ["teller.control", "teller.echo"]),
    "worker-of-work": PermissionMatrix(
      configures: ["teller.worker.own", "teller.worker.other"],
      publishes: ["teller.reports", "teller.presence", "teller.echo", "teller.worker.own"],
      reads: ["teller.department.work", "teller.department.work.kind.new", "teller.worker.other"],
      binds: ["teller.worker.other", "teller.presence"],
      sources: ["teller.control", "teller.echo"]),
    "submitting-worker": PermissionMatrix(
      configures: ["teller.worker.own", "teller.worker.other", "teller.reply.own", "teller.reply.other"],
      publishes: [
        "teller.reports", "teller.presence", "teller.echo", "teller.submit", "teller.submit.early",
        "teller.requests", "teller.worker.own", "teller.reply.own",
      ],
      reads: [
        "teller.department.work", "teller.department.work.kind.new", "teller.department.other",
        "teller.department.other.kind.new", "teller.worker.other", "teller.reply.other", "teller.notifications",
      ],
      binds: ["teller.worker.other", "teller.reply.other", "teller.presence", "teller.requests"],
      sources: ["teller.control", "teller.echo", "teller.notifications"]),
    "submitting-worker-of-work": PermissionMatrix(
      configures: ["teller.worker.own", "teller.worker.other", "teller.reply.own", "teller.reply.other"],
      publishes: [
        "teller.reports", "teller.presence", "teller.echo", "teller.submit", "teller.submit.early",
        "teller.requests", "teller.worker.own", "teller.reply.own",
      ],
      reads: [
        "teller.department.work", "teller.department.work.kind.new", "teller.worker.other", "teller.reply.other",
        "teller.notifications",
      ],
      binds: ["teller.worker.other", "teller.reply.other", "teller.presence", "teller.requests"],
      sources: ["teller.control", "teller.echo", "teller.notifications"]),
    "producer": PermissionMatrix(
      configures: ["teller.reply.own", "teller.reply.other"],
      publishes: ["teller.submit", "teller.submit.early", "teller.requests", "teller.reply.own"],
      reads: ["teller.notifications", "teller.reply.other"],
      binds: ["teller.reply.other", "teller.requests"], sources: ["teller.notifications"]),
    "operator": PermissionMatrix(
      configures: ["teller.reply.own", "teller.reply.other"],
      publishes: ["teller.submit", "teller.submit.early", "teller.requests", "teller.admin", "teller.reply.own"],
      reads: ["teller.notifications", "teller.rejected", "teller.reply.other"],
      binds: ["teller.reply.other", "teller.requests", "teller.admin"], sources: ["teller.notifications"]),
    "monitor": PermissionMatrix(
      configures: ["teller.reply.own", "teller.reply.other"],
      publishes: ["teller.requests", "teller.reply.own"],
      reads: ["teller.notifications", "teller.reply.other"],
      binds: ["teller.reply.other", "teller.requests"], sources: ["teller.notifications"]),
  ]
}

/// One thing that is tried.
struct Try: Hashable, CustomStringConvertible {
  var operation: String
  var name: String
  var other = ""

  var description: String { "\(operation) \(name) \(other)" }
}

extension PermissionMatrix {
  /// Every cell.
  static let tries: [Try] = {
    let writable = [""] + exchanges + free
    var tries = writable.map { Try(operation: "publish", name: $0, other: "nowhere") }
    for operation in ["consume", "get", "purge"] { tries += queues.map { Try(operation: operation, name: $0) } }
    for source in exchanges {
      tries += queues.map { Try(operation: "bind", name: $0, other: source) }
      tries += exchanges.map { Try(operation: "bind-exchange", name: $0, other: source) }
    }
    for operation in ["declare-queue", "delete-queue"] {
      tries += (queues + free).map { Try(operation: operation, name: $0) }
    }
    for operation in ["declare-exchange", "delete-exchange"] {
      tries += (exchanges + free).map { Try(operation: operation, name: $0) }
    }
    for exchange in [""] + exchanges {
      tries += ["teller.worker.own", "teller.reply.own"].map {
        Try(operation: "dead-letter", name: $0, other: exchange)
      }
    }
    return tries
  }()

  func allows(_ cell: Try) -> Bool {
    switch cell.operation {
    case "publish": return publishes.contains(cell.name)
    case "consume", "get", "purge": return reads.contains(cell.name)
    case "bind": return binds.contains(cell.name) && sources.contains(cell.other)
    case "bind-exchange": return publishes.contains(cell.name) && sources.contains(cell.other)
    // Dead letters go with the rights of whoever declares the queue: it needs to read the queue and to write there.
    case "dead-letter": return configures.contains(cell.name) && publishes.contains(cell.other)
    default: return configures.contains(cell.name)
    }
  }
}
