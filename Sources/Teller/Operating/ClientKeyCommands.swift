public import JobModel
import JobTransport

// Operators' commands about keys. The coordinator knows a command that comes again by its id: it does not take a key from a
// job that has it by then.

extension TellerClient {
  /// Gives a key back before its window has passed: the next submission with the key runs. The job that has the key goes
  /// on, and its outcome stays until that submission.
  ///
  /// - Returns: The key, and whether it was taken.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  @discardableResult
  public func freeKey(_ key: JobKey) async throws -> FreedKey {
    try await core.command(.freeKey(KeyOrder(kind: key.kind, key: key.key)))
  }

  /// Makes a key ready for a first use: it is free, has no outcome, and the jobs that have it and wait or run are
  /// cancelled. Nothing that those jobs still do counts for the next use.
  ///
  /// The key is ready when this returns. The operation ends when the jobs are cancelled, mostly at once.
  ///
  /// - Returns: The operation.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  @discardableResult
  public func resetKey(_ key: JobKey) async throws -> JobOperation {
    try await core.command(.resetKeys(KeyResetOrder(key)))
  }

  /// Makes all keys of a kind ready for a first use. Else as ``resetKey(_:)``.
  ///
  /// - Returns: The operation, which has only begun.
  /// - Throws: ``TellerError`` when no coordinator answers, or it refuses; `CancellationError`.
  @discardableResult
  public func resetKeys(of kind: JobKind) async throws -> JobOperation {
    try await core.command(.resetKeys(KeyResetOrder(allOf: kind)))
  }
}
