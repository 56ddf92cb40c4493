public import JobModel
import JobTransport

// Operators' commands about jobs. A command may be given again: a job that it has changed already is left as it is.

extension TellerClient {
  /// Cancels jobs that have no outcome yet, whether they wait or run. Of a running job the handler's task is cancelled; the
  /// outcome is `cancelled`, whatever the handler then does.
  ///
  /// - Returns: Which jobs were cancelled, and which were left as they are.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`. Some may be cancelled.
  public func cancel(_ ids: [JobID]) async throws -> JobChanges {
    try await change(ids, AdminRequest.cancel)
  }

  /// Cancels all jobs of a scope that have no outcome yet.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func cancel(_ scope: JobScope) async throws -> JobOperation {
    try await core.command(.cancel(scope.selection))
  }

  /// Submits failed jobs again, each as a new job. A job is submitted again only once, however often this is called.
  ///
  /// - Returns: Which jobs were submitted again, and which were left as they are.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`. Some may be replayed.
  public func replay(_ ids: [JobID]) async throws -> JobChanges {
    try await change(ids, AdminRequest.replay)
  }

  /// Submits again all failed jobs of a scope that were neither replayed nor dropped.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func replay(_ scope: JobScope) async throws -> JobOperation {
    try await core.command(.replay(scope.selection))
  }

  /// Takes failed jobs off the list of `teller failed`: nothing is to be done about them. The ledger keeps them as long as
  /// other jobs.
  ///
  /// - Returns: Which jobs were dropped, and which were left as they are.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`. Some may be dropped.
  public func drop(_ ids: [JobID]) async throws -> JobChanges {
    try await change(ids, AdminRequest.drop)
  }

  /// Drops all failed jobs of a scope.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func drop(_ scope: JobScope) async throws -> JobOperation {
    try await core.command(.drop(scope.selection))
  }

  /// Releases all jobs of a scope that are held since the ledger was restored: they may have run already.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func acceptRestored(_ scope: JobScope) async throws -> JobOperation {
    try await core.command(.acceptRestored(scope.selection))
  }

  /// Cancels all jobs of a scope that are held since the ledger was restored.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func dropRestored(_ scope: JobScope) async throws -> JobOperation {
    try await core.command(.dropRestored(scope.selection))
  }

  /// Cancels all jobs that wait or run, and all plans that run. An open plan stays open.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func reset() async throws -> JobOperation {
    try await core.command(.reset)
  }

  /// Gives a waiting job another priority. The job keeps its id and its attempts.
  ///
  /// A job in its queue is moved once all workers have said that they do not run it. A silent worker may delay that beyond
  /// the limit. Then this throws ``TellerError/noCoordinator(silentFor:)``, and the job may still move.
  ///
  /// - Parameters:
  ///   - id: The job's id.
  ///   - priority: The job's new priority.
  ///   - limit: How long to wait for the move; nil: ``ClientTimeouts/request``.
  /// - Returns: The job's new place.
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError/refused(_:)`` when the job no longer waits; other
  ///   ``TellerError``s; `CancellationError`.
  @discardableResult
  public func rerank(_ id: JobID, priority: Priority, within limit: Duration? = nil) async throws -> JobPlace {
    try await core.command(.rerank(RerankOrder(job: id, priority: priority)), within: limit)
  }

  /// Gives a waiting job of an ordered department another rank. Else as ``rerank(_:priority:within:)``.
  ///
  /// - Parameters:
  ///   - id: The job's id.
  ///   - rank: The job's new rank, 1–1,000,000; a lower one goes first.
  ///   - limit: How long to wait for the move; nil: ``ClientTimeouts/request``.
  /// - Returns: The job's new place.
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError/refused(_:)`` when the job no longer waits, or its department
  ///   is not ordered; other ``TellerError``s; `CancellationError`.
  @discardableResult
  public func rerank(_ id: JobID, rank: Int, within limit: Duration? = nil) async throws -> JobPlace {
    try await core.command(.rerank(RerankOrder(job: id, rank: rank)), within: limit)
  }

}

extension TellerClient {
  /// Carries out a command about the jobs with these ids, in several requests if there are many.
  private func change(_ ids: [JobID], _ request: (JobSelection) -> AdminRequest) async throws -> JobChanges {
    var all = JobChanges()
    var seen: Set<JobID> = []
    for piece in ids.filter({ seen.insert($0).inserted }).pieces(of: JobSelection.idLimits.upperBound) {
      all.append(try await core.command(request(JobSelection(jobs: Array(piece)))))
    }
    return all
  }
}
