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
}
