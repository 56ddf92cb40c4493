/// How long a client tries and waits before it throws an error.
///
///     var timeouts = ClientTimeouts()
///     timeouts.connect = .seconds(5)
///     let client = try await TellerClient.connect(configuration, timeouts: timeouts)
public struct ClientTimeouts: Hashable, Sendable {
  /// Until the first connection to the broker, in ``TellerClient/connect(_:name:timeouts:logger:)``.
  public var connect: Duration = .seconds(30)
  /// How long the first connection is tried where nobody listens, which a program for people tells them soon; nil: for
  /// ``connect``, since a service may start before its broker.
  public var refused: Duration?
  /// How long a submission waits without a single confirm: the broker is away, or the submission queue is full. Where 64 MiB
  /// or 16,384 messages of this client wait for such a broker, further submissions throw at once.
  public var submit: Duration = .seconds(60)
  /// How long a wait for a job goes on while no coordinator answers.
  public var coordinator: Duration = .seconds(60)
  /// For the answer to a question, such as the state of a job.
  public var request: Duration = .seconds(15)
  /// How long the coordinator may not know a job that this client has submitted: the job may stand in a long queue.
  public var unknown: Duration = .seconds(300)
  /// How long missing events of the notification stream may take to be sent again.
  public var missingEvents: Duration = .seconds(30)
  /// How long ``TellerClient/close()`` waits for submissions that are under way; and before that for the drain of its
  /// services, though for these no longer than 5 seconds.
  public var close: Duration = .seconds(10)

  /// The default timeouts.
  public init() {}

  /// How long a job may be silent before the coordinator is asked about it. A reply may be lost: nobody keeps replies.
  var silence: Duration = .seconds(10)
  /// How often the client looks for silent jobs and for missing events.
  var tick: Duration = .seconds(2)
}
