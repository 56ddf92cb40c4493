public import JobModel
import JobTransport

extension TellerClient {
  /// Has a worker drain: the worker takes no further job, gives back the jobs that have not started, finishes the running
  /// ones, and ends, as after one SIGTERM. The order cannot be taken back.
  ///
  /// The coordinator records the order, and tells the worker until the worker says that it drains; so does a coordinator
  /// that takes over. The order is for this process of the worker: a new process serves, also one of the same name.
  ///
  /// - Parameter worker: The worker's id, or its name, if no other worker has that name.
  /// - Returns: The worker, and whether it has been told. ``workers(_:)`` shows when it drains, and when it is gone.
  /// - Throws: ``TellerError/refused(_:)`` with the code `no_worker` or `ambiguous_worker`: then no worker is told;
  ///   ``TellerError`` when no coordinator answers; `CancellationError`.
  @discardableResult
  public func drain(worker: String) async throws -> WorkerDrain {
    try await core.command(.drainWorker(DrainOrder(worker: worker)))
  }
}
