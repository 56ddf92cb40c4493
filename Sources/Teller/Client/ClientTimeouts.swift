/// How long a client tries and waits before it says that something does not work.
public struct ClientTimeouts: Hashable, Sendable {
  /// Until the first connection to the broker.
  public var connect: Duration = .seconds(30)
  /// Without a single confirm while something is being submitted: broker away, or submission queue full.
  public var submit: Duration = .seconds(60)
  /// Without a word from a coordinator while somebody waits for a job.
  public var coordinator: Duration = .seconds(60)
  /// For the answer to a question, such as the state of a job.
  public var request: Duration = .seconds(15)
  /// With a coordinator that answers, and does not know a job that was submitted: it may still stand in a long queue.
  public var unknown: Duration = .seconds(300)
  /// For events that are missing in the notification stream to be sent again.
  public var missingEvents: Duration = .seconds(30)
  /// For what is being submitted when the client is closed.
  public var close: Duration = .seconds(10)

  /// The timeouts as they are unless changed.
  public init() {}

  /// How long a job may be silent before the coordinator is asked about it: replies are not kept by anybody.
  package var silence: Duration = .seconds(10)
  /// How much of that counts as a time in which no coordinator has answered.
  package var countedSilence: Duration = .zero
  /// How often the client looks whether somebody should be asked or told.
  package var tick: Duration = .seconds(2)
}
