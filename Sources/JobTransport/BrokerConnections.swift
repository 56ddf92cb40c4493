package import AMQP

/// The two connections of a process. Under an alarm the broker stops reading from connections that publish: their acks
/// would be stuck with them.
package struct BrokerConnections: Sendable {
  /// To consume and ack, and to declare what is consumed.
  package let consuming: Connection
  /// To publish.
  package let publishing: Connection

  package init(consuming: Connection, publishing: Connection) {
    self.consuming = consuming
    self.publishing = publishing
  }

  /// What a connection is for; part of the name that the broker's own tools show.
  enum Role: String, Hashable, Sendable {
    case consuming
    case publishing
  }

  static func open(
    _ url: BrokerURL, _ options: BrokerSessionOptions, name: String
  ) async throws(AMQPError) -> BrokerConnections {
    let consuming = try await Connection.open(url, options: options.connection(name, .consuming))
    do throws(AMQPError) {
      let publishing = try await Connection.open(url, options: options.connection(name, .publishing))
      return BrokerConnections(consuming: consuming, publishing: publishing)
    } catch {
      await consuming.close()
      throw error
    }
  }

  func close() async {
    await consuming.close()
    await publishing.close()
  }
}

/// The limits of a session.
package struct BrokerSessionOptions: Sendable {
  /// For both connections; the session sets their names.
  package var connections = ConnectionOptions(name: "")
  /// How long to wait between attempts.
  package var backOff = BackOff()
  /// How long an outage may last before the session gives up; nil: for ever, for what runs as a service.
  package var giveUpAfter: Duration?
  /// How long a cancelled body may go on using the connections before they are closed.
  package var cancellationLimit: Duration = .seconds(5)

  /// That another process has an exclusive queue is expected, and told of by whoever runs the session.
  package var expectsToBeLocked: Bool

  package init(giveUpAfter: Duration? = nil, expectsToBeLocked: Bool = false) {
    self.giveUpAfter = giveUpAfter
    self.expectsToBeLocked = expectsToBeLocked
  }

  func connection(_ name: String, _ role: BrokerConnections.Role) -> ConnectionOptions {
    var options = connections
    options.name = "\(name) \(role.rawValue)"
    if role == .publishing {
      // A message that was read can always be parked.
      options.headerEntries += ParkedMessage.headersAdded
      options.headerBytes += ParkedMessage.headerBytesAdded
    }
    return options
  }
}
