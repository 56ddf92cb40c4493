import Dispatch

/// A thread for what waits for the disk or for another program. On a thread that tasks share, other tasks would wait,
/// too.
enum BlockingThread {
  private static let queue = DispatchQueue(label: "teller.ledger.file", attributes: .concurrent)

  static func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }
}
