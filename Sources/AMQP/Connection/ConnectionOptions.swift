/// Names and limits of one connection. Each limit protects this process from its peer, or the broker from this process.
package struct ConnectionOptions: Sendable, Hashable {
  /// The connection's name in the broker's own tools.
  package var name: String
  /// Whether every published message names the connection's user, whatever its own properties say. A reader then knows
  /// the publisher: the broker refuses a false name, and closes the channel.
  package var namesUser = true
  /// How often each side proves that it is alive, in whole seconds from 1; two silent intervals end the connection.
  package var heartbeat: Duration = .seconds(10)
  /// How long connecting and logging in may take together. The time of a slow name server comes on top.
  package var handshakeTimeout: Duration = .seconds(10)
  /// How long the broker may take to answer a request such as a declaration or a bind. The time begins when the broker has
  /// answered the request before. It does not run while the broker has blocked the connection.
  package var rpcTimeout: Duration = .seconds(10)
  /// How long one send may be stuck in the socket before the connection is given up.
  package var sendTimeout: Duration = .seconds(20)
  /// The largest message body that is read, in bytes; the body of a larger message is skipped.
  package var bodyLimit: Int = 1 << 20
  /// The largest frame offered to the broker, in bytes. The broker may want smaller ones; what both agree on also limits
  /// one message's properties.
  package var frameMax: Int = 131_072
  /// How many published messages may be without the broker's answer. Transient messages are counted apart.
  package var unconfirmedMessages: Int = 4096
  /// How many bytes of published messages may be without an answer. A larger one goes alone; transient ones count
  /// apart.
  package var unconfirmedBytes: Int = 512 << 10
  /// How many of the first messages are sent one at a time, so that a refusal of the broker has one subject: for a
  /// connection that follows one on which the broker has refused a message, and did not say which.
  package var cautiousMessages: Int = 0
  /// How long the broker may take to answer ``Connection/ping()`` before the connection is given up. Much longer than for
  /// a request: the answer comes behind every delivery that the broker is writing.
  package var pingTimeout: Duration = .seconds(60)
  /// How large the headers of a message may be.
  package var headers = HeaderLimits()

  package init(name: String) {
    self.name = name
  }
}
