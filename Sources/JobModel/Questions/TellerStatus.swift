public import Foundation

/// The coordinator, the departments and the workers at one moment.
public struct TellerStatus: Hashable, Sendable, Codable {
  /// The coordinator's ledger.
  public var ledger: LedgerID
  /// The epoch of the ledger. A ledger that was put back to an earlier state begins a new one.
  public var epoch: Int
  /// The coordinator that answers.
  public var coordinator: CoordinatorStatus
  /// The coordinator's connections to the broker.
  public var broker: BrokerStatus
  /// All departments of the coordinator's `teller.yaml`, and those that still have jobs.
  public var departments: [DepartmentStatus]
  /// The workers that the coordinator has heard of.
  public var workers: [WorkerStatus]
  /// The kinds with jobs that wait or run, and without a handler in some worker of the department; at most
  /// ``HandlerStatus/limit``.
  public var handlers: [HandlerStatus]
  /// The commands about many jobs that go on, in the order of their beginning; at most 100.
  public var operations: [JobOperation]

  package init(
    ledger: LedgerID, epoch: Int, coordinator: CoordinatorStatus, broker: BrokerStatus,
    departments: [DepartmentStatus], workers: [WorkerStatus], handlers: [HandlerStatus] = [],
    operations: [JobOperation] = []
  ) {
    self.ledger = ledger
    self.epoch = epoch
    self.coordinator = coordinator
    self.broker = broker
    self.departments = departments
    self.workers = workers
    self.handlers = handlers
    self.operations = operations
  }
}

/// The coordinator that answers.
public struct CoordinatorStatus: Hashable, Sendable {
  /// The version of Teller.
  public var version: String
  /// How many reports had a token that a later release or grant replaced, or were about jobs that had ended.
  public var ignoredReports: Int
  /// How many messages came from users who may not send them.
  public var notAllowed: Int
  /// Messages that the broker took off their queues, such as for a policy, and that the coordinator has taken back; and
  /// queues that were gone, with the reason `missing`. Nil: none since it began.
  public var deadLetters: [DeadLetterCount]?
  package var startedAt: Timestamp

  package init(
    startedAt: Timestamp, version: String, ignoredReports: Int = 0, notAllowed: Int = 0,
    deadLetters: [DeadLetterCount]? = nil
  ) {
    self.startedAt = startedAt
    self.version = version
    self.ignoredReports = ignoredReports
    self.notAllowed = notAllowed
    self.deadLetters = deadLetters
  }

  /// When the coordinator became the active one.
  public var started: Date { startedAt.date }
}

extension CoordinatorStatus: Codable {
  enum CodingKeys: String, CodingKey {
    case version
    case startedAt = "started_ms"
    case ignoredReports = "ignored_reports"
    case notAllowed = "not_allowed"
    case deadLetters = "dead_letters"
  }
}

/// The coordinator's connections to the broker.
public struct BrokerStatus: Hashable, Sendable, Codable {
  /// How they stand.
  public var state: BrokerState

  package init(state: BrokerState) {
    self.state = state
  }
}

/// How a process stands with the broker.
public enum BrokerState: String, Hashable, Sendable, Codable {
  /// All connections are open.
  case connected
  /// Connected, and the broker takes no messages: it is short of memory or disk.
  case blocked
  /// Not connected, or not yet.
  case lost
}
