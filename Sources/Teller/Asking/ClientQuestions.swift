package import JobModel
package import JobTransport

extension TellerClient {
  /// Asks a coordinator.
  ///
  /// - Parameters:
  ///   - request: The question.
  ///   - document: The type of the answer, as the case of the question says.
  /// - Returns: The answer.
  /// - Throws: `TellerError/unknownJob(_:)` when the question is about a job that the coordinator does not know; other
  ///   `TellerError`s; `CancellationError`.
  package func ask<Document: Decodable>(
    _ request: Request, _ document: Document.Type = Document.self
  ) async throws -> Document {
    try await about(request.job) { try await core.ask(request) }
  }

  /// Gives a coordinator an operator's command.
  ///
  /// - Parameters:
  ///   - request: The command.
  ///   - document: The type of the answer, as the case of the command says.
  ///   - limit: For the answer; nil: `timeouts.request`.
  /// - Returns: The answer.
  /// - Throws: As ``ask(_:_:)``.
  package func command<Document: Decodable>(
    _ request: AdminRequest, _ document: Document.Type = Document.self, within limit: Duration? = nil
  ) async throws -> Document {
    try await about(request.job) { try await core.command(request, within: limit) }
  }

  /// When the coordinator does not know the job that it is asked about, the error has its own case.
  private func about<Document>(_ id: JobID?, _ ask: () async throws -> Document) async throws -> Document {
    do {
      return try await ask()
    } catch TellerError.refused(let failure) {
      guard let id, failure.code == JobFailure.jobNotFound(id).code else { throw TellerError.refused(failure) }
      throw TellerError.unknownJob(id)
    }
  }

  /// Asks for the outcomes of jobs. The coordinator answers as soon as all jobs have ended, or the limit has passed.
  ///
  /// - Parameters:
  ///   - ids: at most 1,000.
  ///   - limit: how long the coordinator may wait for the jobs, at most 30 s.
  ///   - patience: how long the answer may take in all; nil: `timeouts.request` more than the limit.
  /// - Returns: the jobs that have ended with their outcomes, and the ids of the others.
  /// - Throws: `TellerError`, or `CancellationError`. A coordinator with too many open requests is asked again within
  ///   `patience`; then the error is `TellerError.refused` with the code `busy`.
  package func outcomes(
    of ids: [JobID], limit: Duration, patience: Duration? = nil
  ) async throws -> WaitDocument {
    let patience = patience ?? core.timeouts.request + limit
    let deadline = ContinuousClock.now + patience
    var backOff = BackOff.resending
    while true {
      do {
        return try await core.ask(.wait(WaitQuery(ids: ids, limit: limit)), within: patience)
      } catch TellerError.refused(let failure) where failure.code == JobFailure.busyCode {
        if ContinuousClock.now >= deadline { throw TellerError.refused(failure) }
        try await Teller.pause(for: backOff.next())
      }
    }
  }
}

extension Request {
  /// The one job that the question is about.
  fileprivate var job: JobID? {
    switch self {
    case .show(let id), .explain(let id): id
    case .status, .jobs, .wait, .report, .operation: nil
    }
  }
}

extension AdminRequest {
  /// The one job that the command is about.
  fileprivate var job: JobID? {
    if case .rerank(let order) = self { return order.job }
    return nil
  }
}
