public import JobModel

/// A small service that shares the life cycle of its host: a worker, a client, or a coordinator.
///
///     actor Reminder: HostedService {
///       func opened() async throws { … }
///       func jobEnded(_ end: HostedJobEnd) async throws { … }
///     }
///
///     worker.add(Reminder())
///
/// The host knows none of its services. It tells each of them what happens, and a service implements the calls that it
/// needs: each call has an empty default. The name is .NET's: a hosted service lives as long as its host. A `Service` of
/// swift-service-lifecycle is something else: it runs beside others, and knows nothing of them.
///
/// | call | a worker | a client | a coordinator |
/// |---|---|---|---|
/// | ``started()`` | its run has begun | the same | the same |
/// | ``opened()`` | a coordinator has welcomed it: it takes jobs | it is connected | it serves, as the active one |
/// | ``paused()`` | it takes no jobs: the connection is lost, or an operator has paused all its departments | the connection is lost, or the broker takes no messages | it has lost the broker, the ledger, or its place as the active one |
/// | ``resumed()`` | it takes jobs again | it is connected, and the broker takes messages | it serves again |
/// | ``draining()`` | its drain has begun | its close has begun | its drain has begun |
/// | ``stopped()`` | after its last job | disconnected | everything is recorded and told |
/// | ``jobStarted(_:)`` | an attempt begins | never | a job is known to run |
/// | ``jobEnded(_:)`` | an attempt has ended | never | a job has its outcome |
/// | ``received(_:)`` | never | a plan has received an event, or it was decided what becomes of one | the same |
///
/// ## The order of the calls
///
/// ```text
/// started ─▶ opened ─▶ paused ─▶ resumed ─▶ paused ─▶ … ─▶ draining ─▶ stopped
///            (jobs and events in between)
/// ```
///
/// A service is told in the order in which things happened, and never two things at once. `started` is the first call and
/// `stopped` the last. Any call between them may be missing: a host may stop without a drain, or before it has opened. After
/// `draining` a service is not told of pauses.
///
/// Services are started in the order in which they were added, one after the other, and stopped in reverse. The host waits
/// for `started` and `stopped`, for a few seconds at most. A client also waits for `draining`, before it disconnects. A
/// host waits for no other call. Calls about jobs are told some milliseconds late, many at a time.
///
/// ## Errors, and calls that do not end
///
/// An error that a call throws is logged with the service's name, and changes nothing: the service is told what comes
/// next. A call that has not ended after ten seconds is logged. Until the call ends, the service is told nothing; what
/// happens meanwhile waits. At most 1,000 calls about jobs wait for one service, and 1,000 events: the oldest of them are
/// dropped, which is logged. Calls of the life cycle are not dropped; of many pauses that wait, only the last ones are told.
///
/// When the host stops, a call that does not end is cancelled, and so is what waits, but for the calls of the life cycle.
/// A service that does not heed the cancellation is left behind.
///
/// Each service has a thread of its own. So a service that blocks its thread harms neither the host nor another service. A
/// task that a service starts itself (`Task { … }`) runs on the threads of the program: it must not block them.
///
/// ## What is not promised
///
/// A process that is killed tells nobody. A service that is slow misses calls about jobs, and may be told of an end whose
/// start it was not told of. A coordinator does not know of the start of a job that is done within a fraction of a second,
/// and tells nothing of an attempt after which the job is tried again. For exact counts use the metrics of the host; to
/// follow all outcomes, each exactly once, watch the events of a client.
public protocol HostedService: Sendable {
  /// What the log calls the service; the name of its type by default.
  var name: String { get }

  /// The host's run has begun. The host waits for this call, for at most a few seconds.
  func started() async throws
  /// The host is ready for its work for the first time. Not called when the host never becomes ready.
  func opened() async throws
  /// The host cannot work at present. Jobs that run may run on.
  func paused() async throws
  /// The host is ready again.
  func resumed() async throws
  /// The host begins nothing new, and finishes what is under way. A client waits for this call, for at most a few
  /// seconds.
  func draining() async throws
  /// The host has ended. This is the last call; the host waits for it, for at most a few seconds.
  func stopped() async throws

  /// The host was told of an event of a plan.
  ///
  /// - Parameter event: What has come, and what has become of it. One event may be told several times, as its state changes.
  /// - Throws: Any error: it is logged.
  func received(_ event: EventStatus) async throws
  /// An attempt of a job begins.
  ///
  /// - Parameter job: The attempt.
  /// - Throws: Any error: it is logged.
  func jobStarted(_ job: HostedJob) async throws
  /// An attempt of a job has ended; with a coordinator, the job itself.
  ///
  /// - Parameter end: What it came to. A worker tells it before the result is reported: should the worker die, the same job
  ///   may run again.
  /// - Throws: Any error: it is logged.
  func jobEnded(_ end: HostedJobEnd) async throws
}

extension HostedService {
  /// The name of the type.
  public var name: String { "\(Self.self)" }

  /// Does nothing.
  public func started() async throws {}
  /// Does nothing.
  public func opened() async throws {}
  /// Does nothing.
  public func paused() async throws {}
  /// Does nothing.
  public func resumed() async throws {}
  /// Does nothing.
  public func draining() async throws {}
  /// Does nothing.
  public func stopped() async throws {}
  /// Does nothing.
  public func received(_ event: EventStatus) async throws {}
  /// Does nothing.
  public func jobStarted(_ job: HostedJob) async throws {}
  /// Does nothing.
  public func jobEnded(_ end: HostedJobEnd) async throws {}
}
