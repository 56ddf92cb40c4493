public import JobModel
package import JobTransport

// Operators' commands about jobs. A command may be given again: a job that it has changed already is left as it is.

extension TellerClient {
  /// Cancels jobs that have no outcome yet, whether they wait or run. Of a running job the handler's task is cancelled; the
  /// outcome is `cancelled`, whatever the handler then does.
  ///
  /// - Returns: Which jobs were cancelled, and which were left as they are.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`. Some may be cancelled.
  public func cancel(_ ids: [JobID]) async throws -> JobChanges {
    JobChanges(try await change(.cancel, ids))
  }

  /// Cancels all jobs of a scope that have no outcome yet.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func cancel(_ scope: JobScope) async throws -> JobOperation {
    JobOperation(try await begin(.cancel, scope))
  }

  /// Submits failed jobs again, each as a new job. A job is submitted again only once, however often this is called.
  ///
  /// - Returns: Which jobs were submitted again, and which were left as they are.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`. Some may be replayed.
  public func replay(_ ids: [JobID]) async throws -> JobChanges {
    JobChanges(try await change(.replay, ids))
  }

  /// Submits again all failed jobs of a scope that were neither replayed nor dropped.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func replay(_ scope: JobScope) async throws -> JobOperation {
    JobOperation(try await begin(.replay, scope))
  }

  /// Takes failed jobs off the list of `teller failed`: nothing is to be done about them. The ledger keeps them as long as
  /// other jobs.
  ///
  /// - Returns: Which jobs were dropped, and which were left as they are.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`. Some may be dropped.
  public func drop(_ ids: [JobID]) async throws -> JobChanges {
    JobChanges(try await change(.drop, ids))
  }

  /// Drops all failed jobs of a scope.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func drop(_ scope: JobScope) async throws -> JobOperation {
    JobOperation(try await begin(.drop, scope))
  }

  /// Cancels all jobs that wait or run, and all open plans.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func reset() async throws -> JobOperation {
    JobOperation(try await command(.reset))
  }

  /// Gives a waiting job another priority. The job keeps its id and its attempts.
  ///
  /// A job in its queue is moved once all workers have said that they do not run it. A silent worker may delay that beyond
  /// ``ClientTimeouts/request``. Then this throws ``TellerError/noCoordinator(silentFor:)``, and the job may still move.
  ///
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError/refused(_:)`` when the job no longer waits; other
  ///   ``TellerError``s; `CancellationError`.
  public func rerank(_ id: JobID, priority: Priority) async throws {
    _ = try await command(.rerank(RerankOrder(job: id, priority: priority)), RerankDocument.self)
  }

  /// Gives a waiting job of an ordered department another rank.
  ///
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError/refused(_:)`` when the job no longer waits, or its department
  ///   is not ordered; other ``TellerError``s; `CancellationError`.
  public func rerank(_ id: JobID, rank: Int) async throws {
    _ = try await command(.rerank(RerankOrder(job: id, rank: rank)), RerankDocument.self)
  }

  /// Gives a key back before its window has passed: the next submission with the key runs.
  ///
  /// - Returns: Whether the key was taken.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func freeKey(_ key: String, of kind: JobKind) async throws -> Bool {
    try await command(.freeKey(KeyOrder(kind: kind, key: key)), KeyDocument.self).changed
  }
}

/// A command about jobs that are named, or about a scope.
package enum JobAction: String, Hashable, Sendable {
  case cancel, replay, drop

  fileprivate func request(_ selection: JobSelection) -> AdminRequest {
    switch self {
    case .cancel: .cancel(selection)
    case .replay: .replay(selection)
    case .drop: .drop(selection)
    }
  }
}

extension TellerClient {
  /// Carries out a command about the jobs with these ids, in several requests if there are many.
  package func change(_ action: JobAction, _ ids: [JobID]) async throws -> ChangeDocument {
    var all = ChangeDocument()
    var seen: Set<JobID> = []
    for piece in ids.filter({ seen.insert($0).inserted }).pieces(of: JobSelection.idLimits.upperBound) {
      all.append(try await command(action.request(JobSelection(jobs: Array(piece)))))
    }
    return all
  }

  /// Begins a command about all jobs of a scope.
  package func begin(_ action: JobAction, _ scope: JobScope) async throws -> OperationDocument {
    try await command(action.request(scope.selection))
  }
}
