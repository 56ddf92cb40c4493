package import Decisions
package import Foundation
package import JobModel
package import JobTransport
package import Ledger

// Each command records with its turn what it did, and who gave it, if it is handed a note.

extension Bookkeeper {
  package func cancel(
    _ ids: [JobID], because reason: JobFailure, noting note: CommandNote? = nil
  ) throws(LedgerError) -> JobChanges {
    try turn { try noted(steps.cancelling.cancel(ids, because: reason, $0), note, $0) }
  }

  package func replay(_ ids: [JobID], noting note: CommandNote? = nil) throws(LedgerError) -> JobChanges {
    try turn { try noted(steps.replaying.replay(ids, $0), note, $0) }
  }

  package func drop(_ ids: [JobID], noting note: CommandNote? = nil) throws(LedgerError) -> JobChanges {
    try turn { try noted(steps.replaying.drop(ids, $0), note, $0) }
  }

  /// A move that has to wait is recorded when it is asked for.
  ///
  /// - Returns: the answer, or why the job keeps its place; nil when the answer comes later.
  package func rerank(
    _ order: RerankOrder, _ address: AnswerAddress, noting note: CommandNote? = nil
  ) throws(LedgerError) -> Result<JobPlace, JobFailure>? {
    try turn { turn -> Result<JobPlace, JobFailure>? in
      switch try steps.reranking.rerank(order, address, turn) {
      case .moved(let job, let place): return .success(try noted(steps.reranking.document(job, place), note, turn))
      case .refused(let failure): return .failure(failure)
      case .later:
        try note?.record(nil, at: parts.time.now, turn.ledger)
        return nil
      }
    }
  }

  /// The jobs are counted beside the flow, a moment before the turn.
  package func begin(
    _ action: OperationRecord.Action, _ selection: JobSelection, by author: CommandAuthor = CommandAuthor(),
    command: UUID? = nil, noting note: CommandNote? = nil
  ) async throws(LedgerError) -> JobOperation? {
    let total = try await count(
      action, department: selection.department, kind: selection.kind, narrowing: selection.narrowing
    ).jobs
    return try turn { turn in
      try steps.operating.begin(action, selection, total: total, by: author, command: command, turn).map {
        try noted($0, note, turn)
      }
    }
  }

  package func setPaused(
    _ department: Department, _ isPaused: Bool, noting note: CommandNote? = nil
  ) throws(LedgerError) -> DepartmentPause {
    try turn { try noted(steps.resizing.setPaused(department, isPaused, $0), note, $0) }
  }

  package func resize(
    _ order: ResizeOrder, noting note: CommandNote? = nil
  ) throws(LedgerError) -> Result<DepartmentResize, JobFailure> {
    try turn { try noted(steps.resizing.resize(order, $0), note, $0) }
  }

  package func stopPlan(
    _ order: PlanStopOrder, by author: CommandAuthor = CommandAuthor(), command: UUID? = nil,
    noting note: CommandNote? = nil
  ) throws(LedgerError) -> Result<PlanStop, JobFailure> {
    try turn { try noted(steps.stopping.stopPlan(order, by: author, command: command, $0), note, $0) }
  }

  /// `now` is on the session's clock.
  package func drainWorker(
    _ order: DrainOrder, at now: Duration, noting note: CommandNote? = nil
  ) throws(LedgerError) -> Result<WorkerDrain, JobFailure> {
    try turn { try noted(steps.draining.drain(order, at: now, $0), note, $0) }
  }

  package func freeKey(
    _ kind: JobKind, _ key: String, command: UUID? = nil, noting note: CommandNote? = nil
  ) throws(LedgerError) -> FreedKey {
    try turn { turn in
      let wasTaken = try steps.accepting.freeKey(kind, key, command: command, turn)
      return try noted(FreedKey(kind: kind, key: key, wasTaken: wasTaken), note, turn)
    }
  }

  /// Nil when too many commands go on.
  package func resetKeys(
    _ kind: JobKind, _ key: String?, by author: CommandAuthor = CommandAuthor(), command: UUID? = nil,
    noting note: CommandNote? = nil
  ) throws(LedgerError) -> JobOperation? {
    try turn { turn in
      try steps.resettingKeys.begin(kind, key, by: author, command: command, turn).map { try noted($0, note, turn) }
    }
  }

  private func noted<Done: Answer>(_ answer: Done, _ note: CommandNote?, _ turn: Turn) throws -> Done {
    try note?.record(answer, at: parts.time.now, turn.ledger)
    return answer
  }

  /// A refused command has done nothing.
  private func noted<Done: Answer>(
    _ answer: Result<Done, JobFailure>, _ note: CommandNote?, _ turn: Turn
  ) throws -> Result<Done, JobFailure> {
    if case .success(let done) = answer { _ = try noted(done, note, turn) }
    return answer
  }

  /// Why the sender of a message may not do that, counted; nil: he may.
  package func refusal(of act: Access.Act, by user: String?) -> JobFailure? {
    let failure = configuration.access.pass(of: user).refusal(of: act)
    if let failure { parts.refusals.noteNotAllowed(failure) }
    return failure
  }

  package func noteRefusal(_ subject: RefusalLog.Subject, _ reason: String) { parts.refusals.note(subject, reason) }
}
