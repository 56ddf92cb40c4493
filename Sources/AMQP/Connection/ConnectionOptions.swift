/// Names and limits of one connection. Each limit protects this process from its peer or the broker from this process.
package struct ConnectionOptions: Sendable, Hashable {
  /// What the broker's own tools show as the connection's name.
  package var name: String
  /// Whether every message that is published names the connection's user, whatever its own properties say: readers know
  /// then who sent it, since the broker refuses a false name, and closes the channel.
  package var namesUser = true
  /// How often each side proves that it is alive; the connection is lost after two silent intervals. Whole seconds,
  /// at least one.
  package var heartbeat: Duration = .seconds(10)
  /// How long connecting and logging in may take together (a slow name server comes on top).
  package var handshakeTimeout: Duration = .seconds(10)
  /// How long the broker may take to answer a declaration, a bind, a consume and the like, from when it has answered what
  /// was asked before. Does not run while the broker has blocked the connection.
  package var rpcTimeout: Duration = .seconds(10)
  /// How long one send may be stuck in the socket before the connection is given up.
  package var sendTimeout: Duration = .seconds(20)
  /// The largest message body that is read, in bytes; the body of a larger message is skipped.
  package var bodyLimit: Int = 1 << 20
  /// The largest frame offered to the broker, in bytes; it also limits one message's properties.
  package var frameMax: Int = 131_072
  /// How many published messages may be without the broker's answer; those that may be lost are counted for themselves.
  package var unconfirmedMessages: Int = 4096
  /// How many bytes of published messages may be without the broker's answer; one larger message goes alone. Those that
  /// may be lost are counted for themselves.
  package var unconfirmedBytes: Int = 512 << 10
  /// How deep header tables and arrays may nest; a header of the message itself has depth 1.
  package var headerDepth: Int = 8
  /// How many values the headers of a message may hold, nested ones included.
  package var headerEntries: Int = 128
  /// How many bytes the keys and values of a message's headers may have together.
  package var headerBytes: Int = 16 << 10

  package init(name: String) {
    self.name = name
  }
}
