package import AMQP
import Logging

/// The connections of a process. Acks have a connection of their own: under an alarm the broker stops reading from
/// connections that publish.
package struct BrokerConnections: Sendable {
  /// The node of the broker that all connections go to.
  package let node: BrokerURL
  /// The connection to consume and ack, and to declare queues that last.
  package let consuming: Connection
  /// The connection to consume and ack reports. The same as `consuming`, unless the session was asked for one more:
  /// deliveries of two busy queues on one connection can only be acked one by one, which costs the broker more than the
  /// messages do.
  package let recording: Connection
  /// The connection to consume and ack the messages of producers. The same as `consuming`, unless the session was asked
  /// for one more: the broker writes the deliveries of a connection one after the other, and takes seconds for headers of
  /// some thousand nested tables. Only other messages of producers, and early reports, wait behind
  /// such a message.
  package let intake: Connection
  /// The connection to publish. The same as `consuming` in a session that does not publish.
  package let publishing: Connection
  /// Where the broker is, for further connections.
  let source: BrokerSource
  let logger: Logger

  /// The purpose of a connection; part of the name that the broker's own tools show.
  enum Role: String, Hashable, Sendable, CaseIterable {
    case consuming
    case recording
    case intake
    case publishing
  }

  /// Each connection once.
  var all: [(role: Role, connection: Connection)] {
    let others = [(Role.recording, recording), (.intake, intake), (.publishing, publishing)]
    return [(.consuming, consuming)] + others.filter { $0.1 !== consuming }
  }

  /// Opens all connections at the same time: the opening of each takes several answers of the broker.
  static func open(
    _ url: BrokerURL, _ options: BrokerSessionOptions, name: String, _ source: BrokerSource, _ logger: Logger
  ) async throws(AMQPError) -> BrokerConnections {
    let results = await withTaskGroup { group in
      for role in options.roles {
        group.addTask {
          let opened = await Result(ofAwaiting: { () async throws(AMQPError) in
            try await Connection.open(url, options: options.connection(name, role))
          })
          return (role, opened)
        }
      }
      return await group.reduce(into: [Role: Result<Connection, AMQPError>]()) { $0[$1.0] = $1.1 }
    }
    do throws(AMQPError) {
      guard let consuming = try results[.consuming]?.get() else { throw .closed }
      let recording = try results[.recording]?.get() ?? consuming
      let intake = try results[.intake]?.get() ?? consuming
      let publishing = try results[.publishing]?.get() ?? consuming
      return BrokerConnections(
        node: url, consuming: consuming, recording: recording, intake: intake, publishing: publishing, source: source,
        logger: logger)
    } catch {
      for case .success(let connection) in results.values { await connection.close() }
      throw error
    }
  }

  /// Opens one more connection to the same node, for a request that the broker may refuse: a refusal ends its connection.
  /// The caller closes the connection. `limit`: how long the broker may take for one request; nil: as long as on the other
  /// connections.
  package func openForTrial(limit: Duration? = nil) async throws(AMQPError) -> Connection {
    var options = consuming.options
    options.rpcTimeout = limit ?? options.rpcTimeout
    options.name += " trial"
    return try await Connection.open(source.current(of: node, logger), options: options)
  }

  func close() async {
    for (_, connection) in all { await connection.close() }
  }
}

/// The options of a session.
package struct BrokerSessionOptions: Sendable {
  /// The options of all connections; the session sets their names.
  package var connections = ConnectionOptions(name: "")
  /// How long each of several nodes has in the first round.
  package var firstRoundLimit: Duration = BrokerAddresses.firstRoundLimit
  /// The waits between attempts.
  package var backOff = BackOff()
  /// How long an outage may last before the session gives up; nil: the session never gives up, as in a service.
  package var giveUpAfter: Duration?
  /// How long a session that was never connected tries addresses where nobody listens; nil: as long as others.
  package var refusedLimit: Duration?
  /// How long a cancelled body may go on using the connections before they are closed.
  package var cancellationLimit: Duration = .seconds(5)

  /// Is told what the broker does not take of what nobody waits for: it is logged, and dropped.
  package var onRefused: @Sendable (BrokerConnections, RefusedTransient) -> Void = { _, _ in }

  /// Whether reports, and the messages of producers, get a connection each.
  package var readsApart: Bool
  /// Whether there is a connection to publish.
  package var publishes: Bool

  package init(giveUpAfter: Duration? = nil, readsApart: Bool = false, publishes: Bool = true) {
    self.giveUpAfter = giveUpAfter
    self.readsApart = readsApart
    self.publishes = publishes
  }

  var roles: [BrokerConnections.Role] {
    [.consuming] + (readsApart ? [.recording, .intake] : []) + (publishes ? [.publishing] : [])
  }

  func connection(_ name: String, _ role: BrokerConnections.Role) -> ConnectionOptions {
    var options = connections
    options.name = "\(name) \(role.rawValue)"
    if role == .publishing {
      // Room for the headers of parking: every message that was read can be parked.
      options.headers.entries += ParkedMessage.headersAdded
      options.headers.bytes += ParkedMessage.headerBytesAdded
    }
    return options
  }
}
