public import Foundation
public import JobModel
import JobTransport

/// A job as the coordinator's ledger has it at one moment, without its payload. Dates are by the coordinator's clock.
public struct JobRecord: Hashable, Sendable, Identifiable {
  /// The job's id.
  public var id: JobID
  /// The job's kind.
  public var kind: JobKind
  /// The job's department.
  public var department: Department
  /// How urgent the job is.
  public var priority: Priority
  /// The job's state.
  public var state: JobState
  /// The present attempt; else the next one, or the last one of a job that has ended. From 1.
  public var attempt: Int
  /// How many attempts the job has.
  public var maxAttempts: Int
  /// How many workers died while they ran the job. A death that another job may have caused used up no attempt.
  public var deaths: Int
  /// When the job was recorded.
  public var accepted: Date
  /// When the last attempt began; nil while the job has not ended, and when it ended without an attempt.
  public var started: Date?
  /// When the job ended.
  public var finished: Date?
  /// From the acceptance to the start of the last attempt.
  public var waited: Duration?
  /// How long the handler ran in the last attempt, by its worker's clock.
  public var ran: Duration?
  /// The outcome; nil while the job has not ended.
  public var outcome: Outcome?
  /// Until when the job is held at least: it is scheduled, or waits for its next attempt. Nil: it is not held for a
  /// time.
  public var heldUntil: Date?
  /// When the job fails, unless an attempt has begun by then.
  public var startBy: Date?
  /// How long one attempt may run.
  public var timeout: Duration?
  /// The job's key, if it has one.
  public var key: String?
  /// The failed job that this job is a replay of.
  public var againOf: JobID?
  /// The replay of this job, after it had failed.
  public var replayedAs: JobID?
  /// Whether the job failed and was dropped: nothing is to be done about it.
  public var isDropped: Bool
}

/// A department as the coordinator sees it at one moment.
public struct DepartmentState: Hashable, Sendable {
  /// The department.
  public var department: Department
  /// Whether its jobs run one after another, by rank.
  public var isOrdered: Bool
  /// Whether it is paused: no job of it is released, or taken from its queue.
  public var isPaused: Bool
  /// How many of its jobs may run at once in all workers together; nil: as many as there are tellers.
  public var cap: Int?
  /// How many jobs all its workers together can run at once.
  public var tellers: Int
  /// Jobs that are not released yet, for any reason.
  public var held: Int
  /// Jobs that are released and not known to run.
  public var queued: Int
  /// Jobs that are known to run. Short jobs are never seen running.
  public var running: Int
}

extension TellerClient {
  /// Asks for the record of a job.
  ///
  /// - Returns: The job at this moment.
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func record(of id: JobID) async throws -> JobRecord {
    JobRecord(try await ask(.show(id)))
  }

  /// Asks for the departments that exist, and how they are served.
  ///
  /// - Returns: All departments of the coordinator's `teller.yaml`.
  /// - Throws: ``TellerError`` when no coordinator answers; `CancellationError`.
  public func departments() async throws -> [DepartmentState] {
    try await ask(.status, StatusDocument.self).departments.map { department in
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
