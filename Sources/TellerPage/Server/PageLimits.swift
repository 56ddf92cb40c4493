import NIOCore

/// The limits of the page. Each is there so that no browser, and nobody who plays one, takes what belongs to the others.
struct PageLimits: Hashable, Sendable {
  /// How many connections there may be at once: more than streams, so that who looks can also act.
  var connections = 256
  /// How long a connection may be without a request.
  var idle = TimeAmount.seconds(30)
  /// How long a request may take to arrive, from its head to its end.
  var arrival = TimeAmount.seconds(10)
  /// How long a browser may take nothing of what is sent to it. A slower one is disconnected.
  var write = TimeAmount.seconds(15)
  /// How much the machine keeps of what a slow browser has not taken yet, in bytes.
  var sendBuffer: Int32 = 256 * 1024
  /// The largest body of a request that is read, in bytes.
  var body = 64 * 1024
  /// How much of a larger body is thrown away before the connection is closed, in bytes.
  var thrownAway = 1024 * 1024
  /// The largest head of a request, in bytes, and the most fields of it.
  var head = 16 * 1024
  var headFields = 64
  /// The longest target of a request, in bytes.
  var target = 4 * 1024
  /// The most parameters of an address.
  var parameters = 64
  /// The most streams of live news, of one session, and of one machine of the network.
  var streams = 100
  var streamsOfSession = 12
  var streamsOfMachine = 50
  /// How long a new stream waits for its first board, before it gets the last one that there is.
  var firstBoard = HubLimits.firstBoard
  /// How many requests one session or machine may send in one go, and a second in the long run.
  var requests = 400
  var requestsPerSecond: Double = 100
  /// The same of actions.
  var actions = 100
  var actionsPerSecond: Double = 10
  /// How many actions may be under way at once.
  var actionsAtOnce = 64
  /// How many questions may be under way at once: a coordinator that is silent keeps each for seconds.
  var questionsAtOnce = 128
  /// How many answers of forms are kept, and for how long.
  var forms = 2_000
  var formLife: Duration = .seconds(3_600)
  /// How many sessions there may be, and of one token; for a further one the oldest ends. How long one lasts.
  var sessions = 1_000
  var sessionsOfPerson = 50
  var sessionLife: Duration = .seconds(12 * 3_600)
  /// How many wrong tokens one machine may send within ``triesTime``, and how many of all machines are remembered.
  var tries = 5
  var triesRemembered = 4_096
  var triesTime: Duration = .seconds(60)
  /// How many rows a list of rejected messages has.
  var rejected = 500
  /// How long an answer to an action may take.
  var acceptance: Duration = .seconds(10)

  init() {}
}
