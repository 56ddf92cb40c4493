/// One department, with the numbers of its jobs. Jobs that have ended are counted as long as the ledger has them.
///
/// Four numbers say how it does: ``waiting``, ``retrying``, ``delayed`` with ``dependent``, and ``unsettled``. The first three
/// are all jobs that are unfinished and do not run: ``held`` and ``queued``.
public struct DepartmentStatus: Hashable, Sendable {
  /// The department.
  public var department: Department
  /// Whether its jobs run one after another, by rank.
  public var isOrdered: Bool
  /// Whether it is paused: no job of it is released, or taken from its queue.
  public var isPaused: Bool
  /// The plans that the department waits for: until they are open, none of its jobs is released.
  public var gates: [PlanName]
  /// How many jobs may be released and unfinished.
  public var window: Int
  /// How many jobs may run at once in all workers together; nil: as many as there are tellers.
  public var cap: Int?
  /// How many jobs a worker takes beyond its tellers, so that the next one begins at once; nil: none.
  public var ahead: Int?
  /// Why the broker refuses the department's queue, so that none of its jobs is released; nil: it does not.
  public var refused: String?
  /// How many jobs all its workers together can run at once.
  public var tellers: Int
  private var stuckIfAny: Int?
  /// Jobs that wait for nothing but their turn, a teller or a handler, released or not.
  public var waiting: Int
  /// Held until the time of the next attempt, because one has failed.
  public var retrying: Int
  /// When the next one of ``retrying`` may run, and why most of them failed; nil: none is near, or not known.
  public var nextRetry: NextRetry?
  /// Failed jobs that were neither replayed nor dropped, and that no plan was ready for.
  public var unsettled: Int
  /// Jobs that are not released, for any reason; with ``delayed``, ``retrying``, ``dependent``, ``unserved`` and ``suspects``.
  public var held: Int
  /// Held until a time: scheduled, or put off by their handler.
  public var delayed: Int
  /// Of ``delayed`` and ``retrying``: the time came between the backup and the restore of the ledger, and an operator has to decide.
  public var restored: Int
  /// Held until other jobs have ended.
  public var dependent: Int
  /// Held because no worker has a handler for their kind, or the workers with a handler have enough jobs.
  public var unserved: Int
  /// Held because they may have caused deaths of workers: one of them runs at a time.
  public var suspects: Int
  /// Released and taken back, with a message that may still be in the queue.
  public var void: Int
  /// Released and not known to run.
  public var queued: Int
  /// Known to run. Short jobs are never seen running.
  public var running: Int
  /// Jobs that succeeded.
  public var succeeded: Int
  /// Jobs that failed.
  public var failed: Int
  /// Jobs that were cancelled.
  public var cancelled: Int
  /// Jobs that the coordinator has accepted in the last minute. A coordinator that has just become the active one counts
  /// from its beginning.
  public var acceptedLastMinute: Int
  /// Jobs that have ended in the last minute, in whatever way.
  public var endedLastMinute: Int
  private var oldestWaitingMs: Int64?
  /// False, or left out.
  private var configured: Bool?

  package init(
    department: Department, isConfigured: Bool = true, isOrdered: Bool, isPaused: Bool, gates: [PlanName] = [],
    window: Int,
    cap: Int?, ahead: Int? = nil, refused: String? = nil, tellers: Int,
    stuckTellers: Int = 0, held: Int, delayed: Int, restored: Int = 0, retrying: Int = 0, nextRetry: NextRetry? = nil,
    dependent: Int, unserved: Int = 0,
    suspects: Int = 0, void: Int, queued: Int, running: Int,
    succeeded: Int, failed: Int, unsettled: Int = 0, cancelled: Int, acceptedLastMinute: Int = 0,
    endedLastMinute: Int = 0, oldestWaiting: Duration? = nil
  ) {
    waiting = held - delayed - retrying - dependent + queued
    self.retrying = retrying
    self.nextRetry = nextRetry
    self.unsettled = unsettled
    self.department = department
    configured = isConfigured ? nil : false
    self.isOrdered = isOrdered
    self.isPaused = isPaused
    self.gates = gates
    self.window = window
    self.cap = cap
    self.ahead = ahead
    self.refused = refused
    self.tellers = tellers
    stuckIfAny = stuckTellers > 0 ? stuckTellers : nil
    self.held = held
    self.delayed = delayed
    self.restored = restored
    self.dependent = dependent
    self.unserved = unserved
    self.suspects = suspects
    self.void = void
    self.queued = queued
    self.running = running
    self.succeeded = succeeded
    self.failed = failed
    self.cancelled = cancelled
    self.acceptedLastMinute = acceptedLastMinute
    self.endedLastMinute = endedLastMinute
    oldestWaitingMs = oldestWaiting?.milliseconds
  }

  /// Whether the coordinator's `teller.yaml` names it. If not, its jobs wait until it does.
  public var isConfigured: Bool { configured ?? true }
  /// How many of the tellers are stuck: their handlers were told to stop, by a time limit or a cancel, and have not.
  public var stuckTellers: Int { stuckIfAny ?? 0 }
  /// How long the oldest waiting job has waited: since its acceptance, or since the time that it was scheduled for. Jobs
  /// that are held until a time, or until other jobs have ended, do not count. Nil: no job waits.
  ///
  /// Where jobs of many kinds wait for a handler, only some of these kinds are looked at.
  public var oldestWaiting: Duration? { oldestWaitingMs.map { .milliseconds($0) } }
  /// Accepted jobs per second, over the last minute.
  public var acceptedRate: Double { Double(acceptedLastMinute) / DepartmentStatus.rateSeconds }
  /// Ended jobs per second, over the last minute.
  public var endedRate: Double { Double(endedLastMinute) / DepartmentStatus.rateSeconds }

  private static let rateSeconds: Double = 60
}

extension DepartmentStatus: Codable {
  enum CodingKeys: String, CodingKey {
    case gates, window, cap, ahead, refused, tellers, waiting, retrying, held, delayed, restored, dependent, unserved,
      suspects,
      void
    case queued, running, succeeded, failed, unsettled, cancelled, configured
    case stuckIfAny = "stuck_tellers"
    case nextRetry = "next_retry"
    case acceptedLastMinute = "accepted_last_minute"
    case endedLastMinute = "ended_last_minute"
    case oldestWaitingMs = "oldest_waiting_ms"
    case department = "name"
    case isOrdered = "ordered"
    case isPaused = "paused"
  }
}
