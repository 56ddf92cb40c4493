import JobModel
import JobTransport

/// The worker of a run, as its handler needs it to wait for other jobs. A protocol, because the worker's loop knows the
/// handlers, and not the other way round.
protocol TellerLender: Sendable {
  func lendTeller(of release: ReleaseID, level: Int) async throws(JobSnooze) -> OneShot<Void>?
  func takeTellerBack(of release: ReleaseID) async -> OneShot<Void>?
  func goOnWithoutTeller(_ release: ReleaseID) async
}

/// From the handler of one run to its worker.
struct RunLine: Sendable {
  /// Nil: nobody is told how far the run has come.
  var progress: ProgressLine?
  /// Nil: a test has called the handler, and it has no teller.
  var lender: (any TellerLender)?
  var release: ReleaseID?

  /// Runs a body that waits for another job, and lends the teller of the handler meanwhile.
  ///
  /// - Throws: what the body throws; `JobSnooze`; `CancellationError`.
  func lending<Value: Sendable>(level: Int, _ body: @escaping @Sendable () async throws -> Value) async throws -> Value
  {
    guard let lender, let release, let interruption = try await lender.lendTeller(of: release, level: level) else {
      return try await body()
    }
    let result = await Result(ofAwaiting: { try await RunLine.unless(interruption, body) })
    if let teller = await lender.takeTellerBack(of: release) {
      do {
        try await teller.value
      } catch {
        await lender.goOnWithoutTeller(release)
      }
    }
    return try result.get()
  }

  private static func unless<Value: Sendable>(
    _ interruption: OneShot<Void>, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await body() }
      group.addTask {
        try await interruption.value
        throw CancellationError()
      }
      guard let value = try await group.next() else { throw CancellationError() }
      return value
    }
  }
}
