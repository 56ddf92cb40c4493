/// A handler that runs in this worker, as the loop knows it.
struct RunningHandler: Sendable {
  /// Without the payload: the handler has it.
  let start: WorkerStart
  let control: RunControl
  let startedAt: ContinuousClock.Instant
  /// Runs once the handler is to end, until the handler has ended or is reported as stuck.
  var grace: Task<Void, Never>?
  /// The waits of the handler for other jobs; nil: it has never waited.
  var waits: RunWaits?
}

/// The waits of one handler for other jobs. It may wait for several at once: its teller is lent until the last of them has
/// ended.
struct RunWaits: Sendable {
  var count = 0
  /// Ends every wait: the worker drains.
  let interruption = OneShot<Void>()
  /// The handler has its teller again; nil: nobody waits for that.
  var teller: OneShot<Void>?
}
