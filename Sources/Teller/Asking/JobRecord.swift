public import Foundation
public import JobModel
import JobTransport

/// A job as the coordinator's ledger has it at one moment, without its payload. Moments are by the coordinator's clock.
public struct JobRecord: Hashable, Sendable, Identifiable {
  /// The job's id.
  public var id: JobID
  /// Its kind.
  public var kind: JobKind
  /// Its department.
  public var department: Department
  /// How urgent it is.
  public var priority: Priority
  /// Where it stands.
  public var state: JobState
  /// The attempt that is under way, comes next, or was the last; from 1.
  public var attempt: Int
  /// How many attempts it has.
  public var maxAttempts: Int
  /// At how many deaths of workers it was running. One that another job may have caused used up no attempt.
  public var deaths: Int
  /// When it was recorded.
  public var accepted: Date
  /// When the attempt that ended it began; nil while it has not ended, and when it ended without one.
  public var started: Date?
  /// When it ended.
  public var finished: Date?
  /// From its acceptance to the start of the attempt that ended it.
  public var waited: Duration?
  /// How long the handler ran in that attempt, by its worker's clock.
  public var ran: Duration?
  /// How it ended; nil while it has not.
  public var outcome: Outcome?
  /// It is held until then at least: scheduled, or to be tried again; nil when it is not held, or not for a time.
  public var heldUntil: Date?
  /// When it fails, unless an attempt has begun by then.
  public var startBy: Date?
  /// How long one attempt may run.
  public var timeout: Duration?
  /// Its key, if it has one.
  public var key: String?
  /// The failed job that this one is a replay of.
  public var againOf: JobID?
  /// The job that it was submitted again as, after it had failed.
  public var replayedAs: JobID?
  /// Whether it failed, and somebody decided that nothing is to be done.
  public var isDropped: Bool
}

/// A department as the coordinator sees it at one moment.
public struct DepartmentState: Hashable, Sendable {
  /// The department.
  public var department: Department
  /// Whether its jobs run one after another, by rank.
  public var isOrdered: Bool
  /// Whether nothing of it is released, or taken from its queue.
  public var isPaused: Bool
  /// How many of its jobs may run at once, in all workers together; nil: as many as there are tellers.
  public var cap: Int?
  /// How many jobs all its workers together can run at once.
  public var tellers: Int
  /// Jobs that are not released yet, for whatever reason.
  public var held: Int
  /// Jobs that are released and that nobody is known to run.
  public var queued: Int
  /// Jobs that are known to run. Short jobs are never seen running.
  public var running: Int
}

extension TellerClient {
  /// Asks for what the ledger has of a job.
  ///
  /// - Returns: The job at this moment.
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func record(of id: JobID) async throws -> JobRecord {
    JobRecord(try await show(id))
  }

  /// Asks for the departments that exist, and for who serves them.
  ///
  /// - Returns: All departments of the coordinator's `teller.yaml`.
  /// - Throws: ``TellerError`` when no coordinator answers; `CancellationError`.
  public func departments() async throws -> [DepartmentState] {
    try await status().departments.map { department in
      DepartmentState(
        department: department.name, isOrdered: department.ordered, isPaused: department.paused, cap: department.cap,
        tellers: department.tellers, held: department.held, queued: department.queued, running: department.running)
    }
  }
}

extension JobRecord {
  init(_ job: JobDocument) {
    self.init(
      id: job.id, kind: job.kind, department: job.department, priority: job.priority, state: job.state,
      attempt: job.attempt, maxAttempts: job.attempts, deaths: job.deaths ?? 0, accepted: job.acceptedAt.date,
      started: job.startedAt?.date, finished: job.finishedAt?.date, waited: job.waitMs.map { .milliseconds($0) },
      ran: job.runMs.map { .milliseconds($0) }, outcome: job.outcome, heldUntil: job.notBefore?.date,
      startBy: job.startBy?.date, timeout: job.timeoutMs.map { .milliseconds($0) }, key: job.key,
      againOf: job.againOf, replayedAs: job.replayedAs, isDropped: job.dropped ?? false)
  }
}
