package import JobModel

/// How the whole stands, as `status` answers it.
package struct StatusDocument: Hashable, Sendable, Codable {
  package var ledger: LedgerID
  package var epoch: Int
  package var coordinator: CoordinatorStatus
  package var broker: BrokerStatus
  package var departments: [DepartmentStatus]
  package var workers: [WorkerStatus]

  package init(
    ledger: LedgerID, epoch: Int, coordinator: CoordinatorStatus, broker: BrokerStatus,
    departments: [DepartmentStatus], workers: [WorkerStatus]
  ) {
    self.ledger = ledger
    self.epoch = epoch
    self.coordinator = coordinator
    self.broker = broker
    self.departments = departments
    self.workers = workers
  }
}

/// The coordinator that answers.
package struct CoordinatorStatus: Hashable, Sendable, Codable {
  package var startedAt: Timestamp
  package var version: String

  package init(startedAt: Timestamp, version: String) {
    self.startedAt = startedAt
    self.version = version
  }

  enum CodingKeys: String, CodingKey {
    case startedAt = "started_ms"
    case version
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
  /// How many jobs may be released and unfinished.
  package var window: Int
  /// Of all its workers together.
  package var tellers: Int
  package var held: Int
  /// Waiting in the department's queue.
  package var queued: Int
  package var running: Int
  package var succeeded: Int
  package var failed: Int
  package var cancelled: Int

  package init(
    name: Department, ordered: Bool, window: Int, tellers: Int, held: Int, queued: Int, running: Int, succeeded: Int,
    failed: Int, cancelled: Int
  ) {
    self.name = name
    self.ordered = ordered
    self.window = window
    self.tellers = tellers
    self.held = held
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
  package var running: Int
  /// How long ago it was last heard, in milliseconds.
  package var lastSeenMs: Int64

  package init(id: WorkerID, name: String, tellers: [String: Int], running: Int, lastSeenMs: Int64) {
    self.id = id
    self.name = name
    self.tellers = tellers
    self.running = running
    self.lastSeenMs = lastSeenMs
  }

  enum CodingKeys: String, CodingKey {
    case id, name, tellers, running
    case lastSeenMs = "last_seen_ms"
  }
}
