/// An exchange that the broker makes, or compares with the existing exchange of that name.
package struct ExchangeDeclaration: Sendable, Hashable {
  package var name: String
  package var kind: Kind
  /// Whether the exchange survives a restart of the broker.
  package var isDurable: Bool = true
  /// Whether the broker deletes the exchange when the last queue is unbound from it.
  package var isAutoDelete: Bool = false
  /// Whether the broker only says if the exchange exists (404 if it does not).
  package var isPassive: Bool = false
  /// Where the exchange sends what it cannot route, fixed for as long as the exchange exists; `nil`: nowhere.
  package var alternate: String?

  /// The way in which an exchange routes.
  package enum Kind: Sendable, Hashable {
    case direct
    case fanout
    case topic
    /// A kind that a plugin of the broker adds.
    case named(String)
  }

  package init(_ name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

/// A queue that the broker makes, or compares with the existing queue of that name.
package struct QueueDeclaration: Sendable, Hashable {
  /// Empty: the broker chooses a name.
  package var name: String
  /// Whether the queue survives a restart of the broker.
  package var isDurable: Bool = true
  /// Whether only this connection may use the queue. The broker deletes the queue when the connection ends.
  package var isExclusive: Bool = false
  /// Whether the broker deletes the queue when its last consumer is cancelled.
  package var isAutoDelete: Bool = false
  /// Whether the broker only says if the queue exists.
  package var isPassive: Bool = false
  /// Fixed for as long as the queue exists.
  package var arguments: QueueArguments

  package init(_ name: String, arguments: QueueArguments = .init()) {
    self.name = name
    self.arguments = arguments
  }
}

/// The broker's answer to a queue declaration.
package struct QueueDeclared: Sendable, Hashable {
  package var name: String
  /// Messages that are ready to be delivered. A delivery without an ack does not count.
  package var messageCount: Int
  package var consumerCount: Int
}
