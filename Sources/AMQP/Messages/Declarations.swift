/// An exchange to make, or to compare with the one that exists.
package struct ExchangeDeclaration: Sendable, Hashable {
  package var name: String
  package var kind: Kind
  /// Whether it survives a restart of the broker.
  package var isDurable: Bool = true
  /// Whether it goes when the last queue or exchange bound to it is unbound.
  package var isAutoDelete: Bool = false
  /// Whether only exchanges may publish to it.
  package var isInternal: Bool = false
  /// Whether to ask only if it exists.
  package var isPassive: Bool = false
  /// Where messages go that no queue of this exchange takes.
  package var alternateExchange: String?

  /// How an exchange routes.
  package enum Kind: Sendable, Hashable {
    case direct
    case fanout
    case topic
    case headers
    /// A kind that a plugin of the broker adds.
    case named(String)
  }

  package init(_ name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

/// A queue to make, or to compare with the one that exists.
package struct QueueDeclaration: Sendable, Hashable {
  /// Empty: the broker chooses a name.
  package var name: String
  /// Whether it survives a restart of the broker.
  package var isDurable: Bool = true
  /// Whether only this connection may use it; it goes when the connection ends.
  package var isExclusive: Bool = false
  /// Whether it goes when its last consumer is cancelled.
  package var isAutoDelete: Bool = false
  /// Whether to ask only if it exists.
  package var isPassive: Bool = false
  /// Fixed once the queue exists.
  package var arguments: QueueArguments

  package init(_ name: String, arguments: QueueArguments = .init()) {
    self.name = name
    self.arguments = arguments
  }
}

/// The broker's answer to a queue declaration.
package struct QueueDeclared: Sendable, Hashable {
  package var name: String
  /// Messages ready to be delivered; those delivered and not acked are not counted.
  package var messageCount: Int
  package var consumerCount: Int

  package init(name: String, messageCount: Int, consumerCount: Int) {
    self.name = name
    self.messageCount = messageCount
    self.consumerCount = consumerCount
  }
}
