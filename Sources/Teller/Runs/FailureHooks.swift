import JobModel
import Logging
import Tracing

/// The hooks of a worker for failed attempts: they are called one after the other, in a task of their own. That of the
/// attempt may be cancelled, and the hooks are to work all the same.
struct FailureHooks: Sendable {
  var all: [@Sendable (FailedAttempt) async -> Void] = []
  /// How long all of them have for one attempt.
  var limit: Duration = WorkerTimeouts.defaultFailureHooks

  /// Calls the hooks, and waits until they have returned or the limit has passed. Then they are cancelled. `context`: that
  /// of the attempt's span; nil: nobody traces.
  func call(
    _ failed: FailedAttempt, in context: ServiceContext?, on threads: HandlerThreads, logger: Logger
  ) async {
    if all.isEmpty { return }
    let done = OneShot<Void>()
    let hooks = Task(executorPreference: threads) {
      await ServiceContext.$current.withValue(context) {
        await JobInfo.$current.withValue(failed.job) { for hook in all { await hook(failed) } }
      }
      done.fulfil()
    }
    // This task may be cancelled, too, and waits all the same.
    let waiting = Task { try await within(limit, orThrow: { CancellationError() }) { try await done.value } }
    if case .success = await waiting.result { return }
    hooks.cancel()
    logger.warning(
      "a hook for failures has not returned within \(limit.inWords): the attempt is reported without it",
      metadata: failed.job.metadata)
  }
}
