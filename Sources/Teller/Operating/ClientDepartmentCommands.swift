public import JobModel
import JobTransport

/// The change of one worker's tellers in a department.
public struct TellerChange: Hashable, Sendable {
  /// The worker's host name and process id.
  public var worker: String
  /// How many tellers the worker had.
  public var before: Int
  /// How many tellers the worker is to have.
  public var tellers: Int
}

extension TellerClient {
  /// Pauses a department: no job of it is released, and its workers take no job from its queue. A running job goes on.
  ///
  /// - Returns: Whether the department was not paused before.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such department; `CancellationError`.
  @discardableResult
  public func pause(_ department: Department) async throws -> Bool {
    try await command(.pause(department), PauseDocument.self).changed
  }

  /// Lets a paused department go on.
  ///
  /// - Returns: Whether the department was paused before.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such department; `CancellationError`.
  @discardableResult
  public func resume(_ department: Department) async throws -> Bool {
    try await command(.resume(department), PauseDocument.self).changed
  }

  /// Changes how many tellers running workers have in a department. The change lasts as long as the worker's process.
  ///
  /// - Parameters:
  ///   - department: A department that the workers serve.
  ///   - tellers: How many tellers each worker is to have; 0: the worker takes no further job. A running job goes on.
  ///   - worker: The id or the name of one worker; nil: every worker that serves the department now.
  /// - Returns: The changes; ``departments()`` shows when the workers have made them.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such department or worker, or a worker would
  ///   have more than 10,000 tellers in all of its departments: then no worker is changed; `CancellationError`.
  @discardableResult
  public func resize(_ department: Department, tellers: Int, worker: String? = nil) async throws -> [TellerChange] {
    let order = ResizeOrder(department: department, tellers: tellers, worker: worker)
    return try await command(.resize(order), ResizeDocument.self).workers.map {
      TellerChange(worker: $0.name, before: $0.before, tellers: $0.tellers)
    }
  }
}
