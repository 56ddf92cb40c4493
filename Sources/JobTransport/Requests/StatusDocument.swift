package import JobModel

/// How the whole stands, as `status` answers it.
package struct StatusDocument: Hashable, Sendable, Codable {
  package var ledger: LedgerID
  package var epoch: Int
  package var coordinator: CoordinatorStatus
  package var broker: BrokerStatus
  package var departments: [DepartmentStatus]
  package var workers: [WorkerStatus]
  /// Kinds that not all workers of a department have a handler for, where jobs of them wait or run: at most
  /// ``HandlerStatus/limit``.
  package var handlers: [HandlerStatus]
  /// The commands about many jobs that go on, in the order in which they were given: at most 100.
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
  /// The names of the workers that have a handler for it, and of those that have none; at most ``nameLimit`` each.
  package var with: [String]
  package var without: [String]
  /// A kind whose name is near, and that a worker has a handler for.
  package var suggestion: JobKind?

  /// The most kinds that a status names, and the most workers of each.
  package static let limit = 20
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
  /// Reports with a token that a later release or grant replaced, and those about jobs that have ended.
  package var ignoredReports: Int
  /// Messages of users who may not send them.
  package var notAllowed: Int

  package init(startedAt: Timestamp, version: String, ignoredReports: Int = 0, notAllowed: Int = 0) {
    self.notAllowed = notAllowed
    self.startedAt = startedAt
    self.version = version
    self.ignoredReports = ignoredReports
  }

  enum CodingKeys: String, CodingKey {
    case startedAt = "started_ms"
    case version
    case ignoredReports = "ignored_reports"
    case notAllowed = "not_allowed"
  }

  /// Reads it as it is written; a coordinator of an earlier version does not count who is not allowed.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      startedAt: try members.decode(Timestamp.self, forKey: .startedAt),
      version: try members.decode(String.self, forKey: .version),
      ignoredReports: try members.decode(Int.self, forKey: .ignoredReports),
      notAllowed: try members.decodeIfPresent(Int.self, forKey: .notAllowed) ?? 0)
  }
}

/// The coordinator's connections to the broker.
package struct BrokerStatus: Hashable, Sendable, Codable {
  package var state: BrokerState

  package init(state: BrokerState) {
    self.state = state
  }
}

/// One department. The counts of final states are of all jobs that the ledger still has.
package struct DepartmentStatus: Hashable, Sendable, Codable {
  package var name: Department
  package var ordered: Bool
  /// Nothing of it is released or taken from its queue.
  package var paused: Bool
  /// How many jobs may be released and unfinished.
  package var window: Int
  /// How many may run at once, in all workers together; nil: as many as there are tellers.
  package var cap: Int?
  /// Of all its workers together.
  package var tellers: Int
  /// Not released, for whatever reason; `delayed`, `dependent`, `unserved` and `suspects` are among them.
  package var held: Int
  /// Held until a time: scheduled, or to be tried again.
  package var delayed: Int
  /// Held until other jobs have ended.
  package var dependent: Int
  /// Held because no worker has a handler for their kind, or those that have one were given as many as may be.
  package var unserved: Int
  /// Held because they may have ended workers: one of them runs at a time.
  package var suspects: Int
  /// Released and taken back, with a message that may still be in the queue.
  package var void: Int
  /// Waiting in the department's queue.
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
  /// Tellers per department.
  package var tellers: [String: Int]
  /// Those of its departments from which it takes nothing, because they are paused.
  package var paused: [String]
  package var running: Int
  /// Jobs whose time limit has passed, or which were cancelled, and whose handler does not react; at most `stuckLimit`.
  package var stuck: [JobID]
  /// How many there are.
  package var stuckCount: Int
  /// How long ago it was last heard, in milliseconds.
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

  /// How many stuck jobs are named: a department whose handlers all hang has as many as tellers.
  package static let stuckLimit = 20

  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    id = try members.decode(WorkerID.self, forKey: .id)
    name = try members.decode(String.self, forKey: .name)
    tellers = try members.decode([String: Int].self, forKey: .tellers)
    paused = try members.decode([String].self, forKey: .paused)
    running = try members.decode(Int.self, forKey: .running)
    stuck = try members.decode([JobID].self, forKey: .stuck)
    // A coordinator of an earlier version names all of them.
    stuckCount = try members.decodeIfPresent(Int.self, forKey: .stuckCount) ?? stuck.count
    lastSeenMs = try members.decode(Int64.self, forKey: .lastSeenMs)
  }

  enum CodingKeys: String, CodingKey {
    case id, name, tellers, paused, running, stuck
    case stuckCount = "stuck_count"
    case lastSeenMs = "last_seen_ms"
  }
}
