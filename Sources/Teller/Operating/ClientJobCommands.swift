public import JobModel
package import JobTransport

// What operators do to jobs. A command may be given again: a job that is cancelled, replayed or dropped already is left
// as it is, and said to be so.

extension TellerClient {
  /// Cancels jobs that have no outcome yet, whether they wait or run. The handler's task of one that runs is cancelled;
  /// its outcome is `cancelled` whatever the handler then does.
  ///
  /// - Returns: What became of each of them.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`. Some of them may be
  ///   cancelled then.
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

  /// Submits failed jobs again, each as a new job, and each only once however often this is asked for.
  ///
  /// - Returns: What became of each of them.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`. Some of them may be
  ///   submitted again then.
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

  /// Takes failed jobs off the list of those that somebody has to look after. The ledger keeps them as long as others.
  ///
  /// - Returns: What became of each of them.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`. Some of them may be
  ///   dropped then.
  public func drop(_ ids: [JobID]) async throws -> JobChanges {
    JobChanges(try await change(.drop, ids))
  }

  /// Takes all failed jobs of a scope off that list.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func drop(_ scope: JobScope) async throws -> JobOperation {
    JobOperation(try await begin(.drop, scope))
  }

  /// Cancels everything that waits and runs, plans included.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func reset() async throws -> JobOperation {
    JobOperation(try await beginReset())
  }

  /// Gives a waiting job another priority. It keeps its id and its attempts.
  ///
  /// One in its queue is moved when all workers have said that they do not run it. When one is silent that may take
  /// longer than ``ClientTimeouts/request``; then this throws ``TellerError/noCoordinator(silentFor:)``, and the job may
  /// be moved all the same.
  ///
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError/refused(_:)`` when it no longer waits; other
  ///   ``TellerError``s; `CancellationError`.
  public func rerank(_ id: JobID, priority: Priority) async throws {
    _ = try await rerankDocument(RerankOrder(job: id, priority: priority))
  }

  /// Gives a waiting job of an ordered department another rank.
  ///
  /// - Throws: ``TellerError/unknownJob(_:)``; ``TellerError/refused(_:)`` when it no longer waits, or its department
  ///   is not ordered; other ``TellerError``s; `CancellationError`.
  public func rerank(_ id: JobID, rank: Int) async throws {
    _ = try await rerankDocument(RerankOrder(job: id, rank: rank))
  }

  /// Gives a key back before its window has passed, so that the next submission with it runs.
  ///
  /// - Returns: Whether it was taken.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  public func freeKey(_ key: String, of kind: JobKind) async throws -> Bool {
    try await freeKeyDocument(KeyOrder(kind: kind, key: key)).changed
  }
}

/// What is done to jobs that are named, or to a scope.
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
  /// Does that to the jobs with these ids, in as many questions as it takes.
  package func change(_ action: JobAction, _ ids: [JobID]) async throws -> ChangeDocument {
    var all = ChangeDocument()
    var seen: Set<JobID> = []
    var left = ids.filter { seen.insert($0).inserted }[...]
    while !left.isEmpty {
      let portion = Array(left.prefix(JobSelection.idLimits.upperBound))
      left = left.dropFirst(portion.count)
      all.append(try await core.command(action.request(JobSelection(jobs: portion))))
    }
    return all
  }

  /// Begins to do that to all jobs of a scope.
  package func begin(_ action: JobAction, _ scope: JobScope) async throws -> OperationDocument {
    try await core.command(action.request(scope.selection))
  }

  /// Begins to cancel everything.
  package func beginReset() async throws -> OperationDocument {
    try await core.command(.reset)
  }

  /// Moves a waiting job.
  ///
  /// - Parameters:
  ///   - order: Which one, and where to.
  ///   - limit: For the answer, which one in its queue has only when all workers have said that they do not run it;
  ///     nil: as long as for any other one.
  /// - Returns: Where it is then.
  /// - Throws: `TellerError`, or `CancellationError`.
  package func rerankDocument(_ order: RerankOrder, within limit: Duration? = nil) async throws -> RerankDocument {
    try await about(order.job) { try await core.command(.rerank(order), within: limit) }
  }

  /// Gives a key back.
  package func freeKeyDocument(_ order: KeyOrder) async throws -> KeyDocument {
    try await core.command(.freeKey(order))
  }
}
