import Ledger

/// Runs a body in which the ledger is read. A read that is cancelled with its task throws an error of the ledger, and means
/// no more than any other cancellation: that a connection is lost, for example, which is no reason to end the process.
///
/// - Throws: `CancellationError` in place of `LedgerError.cancelled`, if the task is cancelled.
func withCancelledReads<Value>(_ body: () async throws -> Value) async throws -> Value {
  do {
    return try await body()
  } catch LedgerError.cancelled where Task.isCancelled {
    throw CancellationError()
  }
}
