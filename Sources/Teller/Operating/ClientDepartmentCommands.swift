public import JobModel
package import JobTransport

/// A worker that was told to have another number of tellers in a department.
public struct TellerChange: Hashable, Sendable {
  /// The worker's host name and process id.
  public var worker: String
  /// How many it had.
  public var before: Int
  /// How many it is to have.
  public var tellers: Int
}

extension TellerClient {
  /// From now on nothing of the department is released, and its workers take nothing from its queue. What runs goes on.
  ///
  /// - Returns: Whether it was not paused before.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such department; `CancellationError`.
  @discardableResult
  public func pause(_ department: Department) async throws -> Bool {
    try await pauseDocument(department).changed
  }

  /// The department goes on.
  ///
  /// - Returns: Whether it was paused before.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such department; `CancellationError`.
  @discardableResult
  public func resume(_ department: Department) async throws -> Bool {
    try await resumeDocument(department).changed
  }

  /// Changes how many tellers running workers have in a department, without a restart. It lasts as long as those
  /// processes.
  ///
  /// - Parameters:
  ///   - department: One that they serve.
  ///   - tellers: How many each of them is to have; 0: they take nothing of it any more. What runs goes on.
  ///   - worker: The id or the name of one worker; nil: every worker that serves the department now.
  /// - Returns: The workers that were told; ``departments()`` shows when they have done it.
  /// - Throws: ``TellerError`` when no coordinator answers, or it knows no such department or worker, or a worker would
  ///   have more than 10,000 tellers in all of its departments: then none is told; `CancellationError`.
  @discardableResult
  public func resize(_ department: Department, tellers: Int, worker: String? = nil) async throws -> [TellerChange] {
    try await resizeDocument(ResizeOrder(department: department, tellers: tellers, worker: worker)).workers.map {
      TellerChange(worker: $0.name, before: $0.before, tellers: $0.tellers)
    }
  }

  /// Stops a department's releases and its workers' taking.
  package func pauseDocument(_ department: Department) async throws -> PauseDocument {
    try await core.command(.pause(department))
  }

  /// Lets both go on.
  package func resumeDocument(_ department: Department) async throws -> PauseDocument {
    try await core.command(.resume(department))
  }

  /// Tells workers how many tellers to have.
  package func resizeDocument(_ order: ResizeOrder) async throws -> ResizeDocument {
    try await core.command(.resize(order))
  }
}
