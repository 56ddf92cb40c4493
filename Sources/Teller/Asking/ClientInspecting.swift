public import Foundation
public import JobModel
import JobTransport

// What a client may ask. An answer tells of one moment; nothing is asked twice to make answers agree with each other.

extension TellerClient {
  /// Asks for the state of the coordinator, the departments and the workers.
  ///
  /// - Returns: The state at this moment.
  /// - Throws: ``TellerError`` when no coordinator answers; `CancellationError`.
  public func status() async throws -> TellerStatus {
    try await core.ask(.status)
  }

  /// Asks for all departments, with their forecasts, and for the next jobs of some.
  ///
  /// - Parameter query: Of which departments jobs are listed, and how many.
  /// - Returns: The board at this moment. With very many rows there are fewer than asked for.
  /// - Throws: ``TellerError/refused(_:)`` with the code `unknown_department`; ``TellerError/invalid(reason:)``;
  ///   ``TellerError`` when no coordinator answers; `CancellationError`.
  public func board(_ query: BoardQuery = BoardQuery()) async throws -> Board {
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.board(query))
  }

  /// Asks for a page of jobs, the newest first.
  ///
  /// - Parameter query: Which jobs, and where the page begins.
  /// - Returns: The page; its ``JobPage/next`` is the `before` of the page after it.
  /// - Throws: ``TellerError/refused(_:)`` with the code `unknown_department`, or `not_found` for a plan;
  ///   ``TellerError/invalid(reason:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func jobs(_ query: JobQuery = JobQuery()) async throws -> JobPage {
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.jobs(query))
  }

  /// Counts failed jobs that were neither replayed nor dropped, by department, kind and error code.
  ///
  /// - Parameter query: Which failed jobs, and where the count goes on.
  /// - Returns: The counts of some failed jobs, the newest first; with ``FailureCounts/next`` there are more to count.
  /// - Throws: ``TellerError/refused(_:)`` with the code `unknown_department`; ``TellerError/invalid(reason:)``;
  ///   ``TellerError`` when no coordinator answers; `CancellationError`.
  public func failures(_ query: FailureQuery = FailureQuery()) async throws -> FailureCounts {
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.failures(query))
  }

  /// Counts the jobs that a command about many jobs would change, and changes none.
  ///
  /// - Parameters:
  ///   - scope: The jobs.
  ///   - action: ``JobOperation/Action/cancel``, ``JobOperation/Action/replay`` or ``JobOperation/Action/drop``; or
  ///     ``JobOperation/Action/reset``, with the scope ``JobScope/all``.
  /// - Returns: The count at this moment. The command may find more jobs, or fewer.
  /// - Throws: ``TellerError/refused(_:)`` with the code `unknown_department`; ``TellerError/invalid(reason:)`` for another
  ///   action, and for a reset with another scope; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func count(_ scope: JobScope, for action: JobOperation.Action) async throws -> JobCount {
    let selection = scope.selection
    let query = CountQuery(
      action, department: selection.department, kind: selection.kind, narrowing: selection.narrowing)
    if let problem = query.problem { throw TellerError.invalid(reason: problem) }
    return try await core.ask(.count(query))
  }

  /// Asks for the record of a job, or of a plan.
  ///
  /// - Returns: The job at this moment, with its outcome and its attempts.
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func job(_ id: JobID) async throws -> JobRecord {
    try await core.ask(.show(id))
  }

  /// Asks for what a job, or an event that waits, carries to its worker. Only operators may ask that: a payload may hold what is nobody else's
  /// business. The ledger keeps the payload as long as the job.
  ///
  /// - Returns: The payload as it was submitted, with its content type, its trace and its headers.
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError/refused(_:)`` with the code `not_allowed`, or `no_payload` for
  ///   a plan, whose steps have payloads of their own; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func payload(of id: JobID) async throws -> JobContent {
    try await core.command(.payload(id))
  }

  /// Asks why a job, or a plan, does not run, or has not ended.
  ///
  /// - Returns: The reasons at this moment.
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError`` when no coordinator answers; `CancellationError`.
  public func explain(_ id: JobID) async throws -> JobExplanation {
    try await core.ask(.explain(id))
  }

  /// Sums up the jobs that ended since a moment.
  ///
  /// - Parameters:
  ///   - since: The moment, by the coordinator's clock.
  ///   - department: Only this department; nil: all.
  /// - Returns: The report at this moment.
  /// - Throws: ``TellerError/refused(_:)`` with the code `unknown_department`; ``TellerError`` when no coordinator answers;
  ///   `CancellationError`.
  public func report(since: Date, department: Department? = nil) async throws -> JobReport {
    try await core.ask(.report(ReportQuery(since: Timestamp(since), department: department)))
  }

  /// Sums up the steps of a plan that have ended.
  ///
  /// - Parameters:
  ///   - plan: The plan's id.
  ///   - department: Only this department; nil: all.
  /// - Returns: The report at this moment.
  /// - Throws: ``TellerError/refused(_:)`` with the code `not_found` or `unknown_department`; ``TellerError`` when no
  ///   coordinator answers; `CancellationError`.
  public func report(plan: JobID, department: Department? = nil) async throws -> JobReport {
    try await core.ask(.report(ReportQuery(plan: plan, department: department)))
  }

  /// Asks how far an operation has come.
  ///
  /// - Returns: The operation at this moment.
  /// - Throws: ``TellerError/refused(_:)`` with the code `not_found`; ``TellerError`` when no coordinator answers;
  ///   `CancellationError`.
  public func operation(_ id: JobOperation.ID) async throws -> JobOperation {
    try await core.ask(.operation(id))
  }
}
