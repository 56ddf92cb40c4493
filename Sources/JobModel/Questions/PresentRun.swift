public import Foundation

/// The attempt of a job that is under way.
public struct PresentRun: Hashable, Sendable, Codable {
  /// The number of the attempt, from 1.
  public var attempt: Int
  /// The worker; nil: the coordinator has not heard of it yet.
  public var worker: WorkerID?
  /// The worker's name.
  public var workerName: String?
  private var startedAt: Timestamp?

  package init(attempt: Int, worker: WorkerID?, workerName: String?, startedAt: Timestamp?) {
    (self.attempt, self.worker, self.workerName, self.startedAt) = (attempt, worker, workerName, startedAt)
  }

  /// When the run began, by the coordinator's clock; nil: not known.
  public var started: Date? { startedAt?.date }

  enum CodingKeys: String, CodingKey {
    case attempt, worker
    case workerName = "worker_name"
    case startedAt = "started_ms"
  }
}
