public import Foundation

/// All departments at one moment, and the next jobs of some of them: what a screen shows.
///
/// The coordinator answers it from its memory and from a few rows of its ledger: it costs no more with a million waiting
/// jobs than with a hundred.
public struct Board: Hashable, Sendable {
  /// The coordinator's ledger.
  public var ledger: LedgerID
  /// The epoch of the ledger.
  public var epoch: Int
  /// The number of the last event that was recorded before this moment: a watch that begins behind it misses nothing.
  public var through: Int64
  /// The number of the last event that the numbers of the departments have: ``through``, or a later one. Rows of held jobs
  /// may be as old as ``through``.
  public var counted: Int64
  /// The coordinator that answers.
  public var coordinator: CoordinatorStatus
  /// The coordinator's connections to the broker.
  public var broker: BrokerStatus
  /// How many workers the coordinator has heard of.
  public var workers: Int
  /// The commands about many jobs that go on, in the order of their beginning; at most 100.
  public var operations: [JobOperation]
  /// The last reset that has ended: what began before it is over. Nil: the coordinator has seen none.
  public var lastReset: JobOperation?
  /// All departments, by name.
  public var departments: [DepartmentBoard]
  package var at: Timestamp

  package init(
    at: Timestamp, ledger: LedgerID, epoch: Int, through: Int64, counted: Int64, coordinator: CoordinatorStatus,
    broker: BrokerStatus, workers: Int, operations: [JobOperation], lastReset: JobOperation? = nil,
    departments: [DepartmentBoard]
  ) {
    (self.at, self.ledger, self.epoch, self.through, self.counted) = (at, ledger, epoch, through, counted)
    (self.coordinator, self.broker, self.workers) = (coordinator, broker, workers)
    (self.operations, self.lastReset, self.departments) = (operations, lastReset, departments)
  }

  /// The moment, by the coordinator's clock.
  public var moment: Date { at.date }
}

extension Board: Codable {
  enum CodingKeys: String, CodingKey {
    case ledger, epoch, through, counted, coordinator, broker, workers, operations, departments
    case at = "at_ms"
    case lastReset = "last_reset"
  }
}

/// One department on a ``Board``.
public struct DepartmentBoard: Hashable, Sendable {
  /// Its numbers.
  public var status: DepartmentStatus
  /// When it will be through.
  public var forecast: DepartmentForecast
  /// Its next jobs, in the order in which they will be served as things are now. Empty where no rows were asked for.
  public var waiting: [WaitingRow]
  /// The jobs that are known to run, the longest first. Short jobs are never seen running.
  public var running: [RunningRow]
  private var busySinceTime: Timestamp?
  private var lastBusySince: Timestamp?
  private var lastBusyUntil: Timestamp?

  package init(
    status: DepartmentStatus, forecast: DepartmentForecast, busySince: Timestamp? = nil,
    lastBusy: (since: Timestamp, until: Timestamp)? = nil, waiting: [WaitingRow] = [], running: [RunningRow] = []
  ) {
    (self.status, self.forecast, self.waiting, self.running) = (status, forecast, waiting, running)
    (busySinceTime, lastBusySince, lastBusyUntil) = (busySince, lastBusy?.since, lastBusy?.until)
  }

  /// Since when jobs wait or run all the time; nil: none does. Jobs that are held until a time, or until other jobs have
  /// ended, do not count.
  public var busySince: Date? { busySinceTime?.date }

  /// The last time that was over when nothing waited or ran any more; nil: the coordinator has not seen one.
  public var lastBusy: DateInterval? {
    guard let lastBusySince, let lastBusyUntil else { return nil }
    return DateInterval(start: lastBusySince.date, end: max(lastBusySince, lastBusyUntil).date)
  }
}

extension DepartmentBoard: Codable {
  enum CodingKeys: String, CodingKey {
    case status, forecast, waiting, running
    case busySinceTime = "busy_since_ms"
    case lastBusySince = "last_busy_since_ms"
    case lastBusyUntil = "last_busy_until_ms"
  }
}

/// A job that waits, on a ``Board``.
public struct WaitingRow: Hashable, Sendable, Identifiable {
  /// The job's id.
  public var id: JobID
  /// Counts the jobs that the coordinator has accepted.
  public var number: Int64
  /// The job's kind.
  public var kind: JobKind
  /// The job's own priority.
  public var priority: Priority
  /// The job's place in an ordered department; a lower one goes first.
  public var rank: Int?
  /// The job's key, if it has one.
  public var key: String?
  /// The name of the step, of a plan's job.
  public var step: String?
  /// Whether the job is in its queue, where a teller takes it next.
  public var isReleased: Bool
  /// What holds the job, if it is not released.
  public var hold: JobExplanation.Hold?
  private var since: Timestamp

  package init(
    id: JobID, number: Int64, kind: JobKind, priority: Priority, rank: Int?, key: String?, step: String?,
    since: Timestamp, isReleased: Bool, hold: JobExplanation.Hold? = nil
  ) {
    (self.id, self.number, self.kind, self.priority, self.rank) = (id, number, kind, priority, rank)
    (self.key, self.step, self.since, self.isReleased, self.hold) = (key, step, since, isReleased, hold)
  }

  /// Since when the job waits: since its acceptance, or since the time that it was scheduled for.
  public var waitingSince: Date { since.date }
}

extension WaitingRow: Codable {
  enum CodingKeys: String, CodingKey {
    case number, kind, priority, rank, key, step, hold
    case id = "job"
    case since = "since_ms"
    case isReleased = "released"
  }
}

/// A job that runs, on a ``Board``.
public struct RunningRow: Hashable, Sendable, Identifiable {
  /// The job's id.
  public var id: JobID
  /// Counts the jobs that the coordinator has accepted.
  public var number: Int64
  /// The job's kind.
  public var kind: JobKind
  /// The job's own priority.
  public var priority: Priority
  /// The job's key, if it has one.
  public var key: String?
  /// The name of the step, of a plan's job.
  public var step: String?
  /// The present attempt, from 1.
  public var attempt: Int
  /// The worker that runs the job; nil: the coordinator has not heard of it yet.
  public var worker: WorkerID?
  /// The worker's name.
  public var workerName: String?
  /// How far the run has come; nil: its handler has not said it.
  public var progress: RunProgress?
  private var startedAt: Timestamp?

  package init(
    id: JobID, number: Int64, kind: JobKind, priority: Priority, key: String?, step: String?, attempt: Int,
    worker: WorkerID?, workerName: String?, startedAt: Timestamp?, progress: RunProgress?
  ) {
    (self.id, self.number, self.kind, self.priority) = (id, number, kind, priority)
    (self.key, self.step, self.attempt) = (key, step, attempt)
    (self.worker, self.workerName, self.startedAt, self.progress) = (worker, workerName, startedAt, progress)
  }

  /// When the run began, by the coordinator's clock; nil: not known.
  public var started: Date? { startedAt?.date }
}

extension RunningRow: Codable {
  enum CodingKeys: String, CodingKey {
    case number, kind, priority, key, step, attempt, worker, progress
    case id = "job"
    case workerName = "worker_name"
    case startedAt = "started_ms"
  }
}
