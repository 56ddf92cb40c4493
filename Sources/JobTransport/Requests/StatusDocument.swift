package import JobModel

/// The state of the coordinator, the departments and the workers: the answer of `status`.
package struct StatusDocument: AnswerDocument {
  package var ledger: LedgerID
  package var epoch: Int
  package var coordinator: CoordinatorStatus
  package var broker: BrokerStatus
  package var departments: [DepartmentStatus]
  package var workers: [WorkerStatus]
  /// The kinds with jobs that wait or run, and without a handler in some worker of the department: at most
  /// ``HandlerStatus/limit``.
  package var handlers: [HandlerStatus]
  /// The operations that go on, in the order of their beginning: at most 100.
  package var operations: [OperationDocument]

  package init(
    ledger: LedgerID, epoch: Int, coordinator: CoordinatorStatus, broker: BrokerStatus,
    departments: [DepartmentStatus], workers: [WorkerStatus], handlers: [HandlerStatus] = [],
    operations: [OperationDocument] = []
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

/// A kind that not all workers of a department have a handler for.
package struct HandlerStatus: Hashable, Sendable, Codable {
  package var department: Department
  package var kind: JobKind
  /// How many of its jobs wait or run.
  package var jobs: Int
  /// The names of workers that have a handler for the kind; at most ``nameLimit``.
  package var with: [String]
  /// The names of workers that have none; at most ``nameLimit``.
  package var without: [String]
  /// A kind with a similar name, for which a worker has a handler.
  package var suggestion: JobKind?

  /// The most kinds of a status.
  package static let limit = 20
  /// The most workers of a kind.
  package static let nameLimit = 10

  package init(
    department: Department, kind: JobKind, jobs: Int, with: [String], without: [String], suggestion: JobKind?
  ) {
    self.department = department
    self.kind = kind
    self.jobs = jobs
    self.with = Array(with.prefix(HandlerStatus.nameLimit))
    self.without = Array(without.prefix(HandlerStatus.nameLimit))
    self.suggestion = suggestion
  }

  enum CodingKeys: String, CodingKey {
    case department, kind, jobs, with, without
    case suggestion = "did_you_mean"
  }
}

/// The coordinator that answers.
package struct CoordinatorStatus: Hashable, Sendable, Codable {
  package var startedAt: Timestamp
  package var version: String
  /// How many reports had a token that a later release or grant replaced, or were about jobs that had ended.
  package var ignoredReports: Int
  /// How many messages came from users who may not send them.
  package var notAllowed: Int

  package init(startedAt: Timestamp, version: String, ignoredReports: Int = 0, notAllowed: Int = 0) {
    self.startedAt = startedAt
    self.version = version
    self.ignoredReports = ignoredReports
    self.notAllowed = notAllowed
  }

  enum CodingKeys: String, CodingKey {
    case startedAt = "started_ms"
    case version
    case ignoredReports = "ignored_reports"
    case notAllowed = "not_allowed"
  }
}

/// The coordinator's connections to the broker.
package struct BrokerStatus: Hashable, Sendable, Codable {
  package var state: BrokerState

  package init(state: BrokerState) {
    self.state = state
  }
}

/// One department, with the numbers of its jobs. Jobs that have ended are counted as long as the ledger has them.
package struct DepartmentStatus: Hashable, Sendable, Codable {
  package var name: Department
  package var ordered: Bool
  /// Whether no job is released, or taken from the department's queue.
  package var paused: Bool
  /// How many jobs may be released and unfinished.
  package var window: Int
  /// How many jobs may run at once in all workers together; nil: as many as there are tellers.
  package var cap: Int?
  /// The tellers of all workers together.
  package var tellers: Int
  /// Not released, for any reason; with `delayed`, `dependent`, `unserved` and `suspects`.
  package var held: Int
  /// Held until a time: scheduled, or waiting for the next attempt.
  package var delayed: Int
  /// Held until other jobs have ended.
  package var dependent: Int
  /// Held because no worker has a handler for their kind, or the workers with a handler have enough jobs.
  package var unserved: Int
  /// Held because they may have caused deaths of workers: one of them runs at a time.
  package var suspects: Int
  /// Released and taken back, with a message that may still be in the queue.
  package var void: Int
  /// In the department's queue.
  package var queued: Int
  package var running: Int
  package var succeeded: Int
  package var failed: Int
  package var cancelled: Int

  package init(
    name: Department, ordered: Bool, paused: Bool, window: Int, cap: Int?, tellers: Int, held: Int, delayed: Int,
    dependent: Int, unserved: Int = 0, suspects: Int = 0, void: Int, queued: Int, running: Int, succeeded: Int,
    failed: Int, cancelled: Int
  ) {
    self.name = name
    self.ordered = ordered
    self.paused = paused
    self.window = window
    self.cap = cap
    self.tellers = tellers
    self.held = held
    self.delayed = delayed
    self.dependent = dependent
    self.unserved = unserved
    self.suspects = suspects
    self.void = void
    self.queued = queued
    self.running = running
    self.succeeded = succeeded
    self.failed = failed
    self.cancelled = cancelled
  }
}

/// One worker process that the coordinator has heard of.
package struct WorkerStatus: Hashable, Sendable, Codable {
  package var id: WorkerID
  /// Host name and process id.
  package var name: String
  /// How many tellers each of its departments has.
  package var tellers: [String: Int]
  /// The departments that are paused.
  package var paused: [String]
  package var running: Int
  /// Jobs whose handler does not react to its cancellation; at most `stuckLimit`.
  package var stuck: [JobID]
  /// How many such jobs there are.
  package var stuckCount: Int
  /// How long ago the worker's last presence came, in milliseconds.
  package var lastSeenMs: Int64

  package init(
    id: WorkerID, name: String, tellers: [String: Int], paused: [String], running: Int, stuck: some Collection<JobID>,
    lastSeenMs: Int64
  ) {
    self.id = id
    self.name = name
    self.tellers = tellers
    self.paused = paused
    self.running = running
    self.stuck = Array(stuck.prefix(WorkerStatus.stuckLimit))
    stuckCount = stuck.count
    self.lastSeenMs = lastSeenMs
  }

  /// The most stuck jobs that are named: a department whose handlers all hang has one for each teller.
  package static let stuckLimit = 20

  enum CodingKeys: String, CodingKey {
    case id, name, tellers, paused, running, stuck
    case stuckCount = "stuck_count"
    case lastSeenMs = "last_seen_ms"
  }
}
