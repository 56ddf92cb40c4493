/// How long a ``Worker`` waits before it treats a long job in another way. The defaults are right for almost all workers.
public struct WorkerTimeouts: Sendable, Hashable {
  /// After so long in the worker's hands a job is *adopted*: the coordinator records that this worker runs the job, and the
  /// worker acks the job's message, while the job runs on and keeps its teller.
  ///
  /// A broker takes a consumer for dead whose message is un-acked for too long (30 minutes, unless configured otherwise),
  /// and closes its connection. So `adoptAfter` must be well below that time.
  public var adoptAfter: Duration
  /// How long a handler has to end after its task was cancelled: because of its time limit, or because its job was
  /// cancelled. After that the job is reported as *stuck*. The handler is not ended by force, and keeps its teller.
  public var grace: Duration
  /// How long the hooks of ``Worker/onFailure(_:)`` have for one attempt. After that they are cancelled, and the attempt is
  /// reported all the same.
  public var failureHooks: Duration
  /// How long a drain may take: as long as the process's supervisor waits after SIGTERM before it kills the process. The
  /// worker says so when it begins to drain. A kill within this time is no death that counts against the worker's jobs.
  public var drain: Duration
  /// How long the goodbye may take. Without a goodbye the coordinator waits until the worker's lease has passed.
  var goodbye: Duration = .seconds(2)
  /// A worker that did not work for so long was frozen, and one whose own pulse did not come back for so long was cut off.
  /// It may have been given up: the shortest lease is only a presence longer. So it claims what it has not begun, and asks
  /// its open claims anew.
  var silence: Duration = .seconds(3)

  /// Ten minutes: a third of what brokers usually allow.
  public static let defaultAdoptAfter: Duration = .seconds(600)
  /// Ten seconds.
  public static let defaultGrace: Duration = .seconds(10)
  /// Half a minute: more than a service that collects errors needs.
  public static let defaultFailureHooks: Duration = .seconds(30)
  /// An hour.
  public static let defaultDrain: Duration = .seconds(3_600)

  /// The given timeouts, or the defaults. A negative one counts as zero.
  public init(
    adoptAfter: Duration = WorkerTimeouts.defaultAdoptAfter, grace: Duration = WorkerTimeouts.defaultGrace,
    failureHooks: Duration = WorkerTimeouts.defaultFailureHooks, drain: Duration = WorkerTimeouts.defaultDrain
  ) {
    self.adoptAfter = max(.zero, adoptAfter)
    self.grace = max(.zero, grace)
    self.failureHooks = max(.zero, failureHooks)
    self.drain = max(.zero, drain)
  }
}
