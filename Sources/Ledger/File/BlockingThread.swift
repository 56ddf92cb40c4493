import Dispatch

/// A thread for what waits for the disk, or for another program: on one that tasks share, they would wait too.
enum BlockingThread {
  private static let queue = DispatchQueue(label: "teller.ledger.file", attributes: .concurrent)

  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(LedgerError) -> Value
  ) async throws(LedgerError) -> Value {
    let result: Result<Value, LedgerError> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }
}
