/// How long a ``Worker`` waits before it treats a job that runs on and on in another way. The defaults are right for
/// almost everybody.
public struct WorkerTimeouts: Sendable, Hashable {
  /// A job that the worker has had in its hands for longer than this is *adopted*: the worker has the coordinator write
  /// down that it runs the job, and gives the job's message back to the broker as done. Brokers take a consumer whose
  /// message is open for too long (30 minutes, unless configured otherwise) for dead, and close its connection; this must
  /// be well below that. What is adopted keeps its teller until it has ended.
  public var adoptAfter: Duration
  /// How long a handler whose task was cancelled has to end: after its time limit, or when its job was cancelled. After
  /// that the job is told the coordinator as *stuck*; the handler is not ended by force, and keeps its teller.
  public var grace: Duration
  /// How long the goodbye may take: it is a courtesy, without it a lease has to pass.
  var goodbye: Duration = .seconds(2)

  /// A third of what brokers usually allow.
  public static let defaultAdoptAfter: Duration = .seconds(600)
  /// Enough to put things away.
  public static let defaultGrace: Duration = .seconds(10)

  /// Ten minutes until a job is adopted and ten seconds of grace, or what is given. Less than nothing is nothing.
  public init(
    adoptAfter: Duration = WorkerTimeouts.defaultAdoptAfter, grace: Duration = WorkerTimeouts.defaultGrace
  ) {
    self.adoptAfter = max(.zero, adoptAfter)
    self.grace = max(.zero, grace)
  }
}
