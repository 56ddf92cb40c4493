package import JobModel
package import JobTransport

extension TellerClient {
  /// Asks a coordinator. `document` is the type of the answer, as the case of the question says.
  ///
  /// - Throws: `TellerError/unknownJob(_:)` when the question is about a job that the coordinator does not know; other
  ///   `TellerError`s; `CancellationError`.
  package func ask<Document: Decodable>(
    _ request: Request, _ document: Document.Type = Document.self
  ) async throws -> Document {
    try await core.ask(request)
  }

  /// Gives a coordinator an operator's command. `document` is the type of the answer, as the case of the command says.
  /// The limit is for the answer; nil: `timeouts.request`.
  ///
  /// - Throws: As ``ask(_:_:)``.
  package func command<Document: Decodable>(
    _ request: AdminRequest, _ document: Document.Type = Document.self, within limit: Duration? = nil
  ) async throws -> Document {
    try await core.command(request, within: limit)
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
        try await Task.sleep(for: backOff.next())
      }
    }
  }
}
