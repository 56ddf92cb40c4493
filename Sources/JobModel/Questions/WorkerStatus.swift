/// One worker process that the coordinator has heard of.
public struct WorkerStatus: Hashable, Sendable, Identifiable {
  /// The worker's id, which is new in every process.
  public var id: WorkerID
  /// The worker's name: its host's name and its process id, unless it was given another one.
  public var name: String
  /// How many tellers each of its departments has, by the department's name.
  public var tellers: [String: Int]
  /// The names of the departments that are paused.
  public var paused: [String]
  /// How many jobs it runs.
  public var running: Int
  private var inHandIfAny: Int?
  /// Jobs whose handler does not react to its cancellation; at most ``stuckLimit``.
  public var stuck: [JobID]
  /// How many such jobs there are.
  public var stuckCount: Int
  /// Whether the worker says that it drains: it takes no further job, and ends when it has finished those that it has.
  public var isDraining: Bool
  /// Whether an operator has ordered the worker to drain. A worker that does not say yet that it drains is told again.
  public var isToldToDrain: Bool
  private var lastSeenMs: Int64

  /// The most stuck jobs that are named: a department whose handlers all hang has one for each teller.
  public static let stuckLimit = 20

  package init(
    id: WorkerID, name: String, tellers: [String: Int], paused: [String], running: Int, inHand: Int = 0,
    stuck: some Collection<JobID>, isDraining: Bool = false, isToldToDrain: Bool = false, lastSeenMs: Int64
  ) {
    self.id = id
    self.name = name
    self.tellers = tellers
    self.paused = paused
    self.running = running
    inHandIfAny = inHand > 0 ? inHand : nil
    self.stuck = Array(stuck.prefix(WorkerStatus.stuckLimit))
    stuckCount = stuck.count
    self.isDraining = isDraining
    self.isToldToDrain = isToldToDrain
    self.lastSeenMs = lastSeenMs
  }

  /// How many jobs it has in hand, and has not begun: those that wait for a teller, or for the answer to their claim.
  public var inHand: Int { inHandIfAny ?? 0 }

  /// How long ago the worker was last heard.
  public var silence: Duration { .milliseconds(lastSeenMs) }
}

extension WorkerStatus: Codable {
  enum CodingKeys: String, CodingKey {
    case id, name, tellers, paused, running, stuck
    case inHandIfAny = "in_hand"
    case stuckCount = "stuck_count"
    case isDraining = "draining"
    case isToldToDrain = "told_to_drain"
    case lastSeenMs = "last_seen_ms"
  }
}

/// A kind that not all workers of a department have a handler for.
public struct HandlerStatus: Hashable, Sendable {
  /// The department.
  public var department: Department
  /// The kind.
  public var kind: JobKind
  /// How many of its jobs wait or run.
  public var jobs: Int
  /// The names of workers that have a handler for the kind; at most ``nameLimit``.
  public var with: [String]
  /// The names of workers that have none; at most ``nameLimit``.
  public var without: [String]
  /// A kind with a similar name, for which a worker has a handler.
  public var suggestion: JobKind?

  /// The most kinds of a status.
  public static let limit = 20
  /// The most workers of a kind.
  public static let nameLimit = 10

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
}

extension HandlerStatus: Codable {
  enum CodingKeys: String, CodingKey {
    case department, kind, jobs, with, without
    case suggestion = "did_you_mean"
  }
}
