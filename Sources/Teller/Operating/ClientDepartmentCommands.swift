public import JobModel
import JobTransport

extension TellerClient {
  /// Pauses a department: no job of it is released, and its workers take no job from its queue. A running job goes on.
  ///
  /// - Returns: The department, and whether the pause is new.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such department; `CancellationError`.
  @discardableResult
  public func pause(_ department: Department) async throws -> DepartmentPause {
    try await core.command(.pause(department))
  }

  /// Lets a paused department go on.
  ///
  /// - Returns: The department, and whether it was paused before.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such department; `CancellationError`.
  @discardableResult
  public func resume(_ department: Department) async throws -> DepartmentPause {
    try await core.command(.resume(department))
  }

  /// Changes how many tellers running workers have in a department. The change lasts as long as the worker's process.
  ///
  /// - Parameters:
  ///   - department: A department that the workers serve.
  ///   - tellers: How many tellers each worker is to have, within ``DepartmentResize/tellerLimits``; 0: the worker takes
  ///     no further job. A running job goes on.
  ///   - worker: The id or the name of one worker; nil: every worker that serves the department now.
  /// - Returns: The workers that were told; ``status()`` shows when they have the tellers.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such department or worker, or a worker would
  ///   have more than 10,000 tellers in all of its departments: then no worker is changed; `CancellationError`.
  @discardableResult
  public func resize(_ department: Department, tellers: Int, worker: String? = nil) async throws -> DepartmentResize {
    try await core.command(.resize(ResizeOrder(department: department, tellers: tellers, worker: worker)))
  }
}
