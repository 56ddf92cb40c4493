import Synchronization

/// Is told the answers to the messages of one call.
struct PublishWaiter: Sendable {
  let tell: @Sendable (Result<[PublishResult], AMQPError>) -> Void
}

/// The messages of one call, checked.
final class PublishCall: Sendable {
  private enum Standing {
    case new
    case taken(UInt64)
    case withdrawn
  }

  /// So many bytes are small: a socket that can be written to has room for them.
  private static let smallBytes = 8 << 10
  /// What a message has on the wire beside its size, its exchange and its routing key.
  private static let methodFrame = 30

  let messages: [Publishing]
  let sizes: [Int]
  let isTransient: Bool
  private let standing = Mutex(Standing.new)

  init(_ messages: [Publishing], checkedBy checks: PublishingChecks, isTransient: Bool) throws(AMQPError) {
    var sizes: [Int] = []
    sizes.reserveCapacity(messages.count)
    for message in messages { sizes.append(try checks.size(of: message)) }
    (self.messages, self.sizes, self.isTransient) = (messages, sizes, isTransient)
  }

  var isSmall: Bool {
    var left = PublishCall.smallBytes
    for (message, size) in zip(messages, sizes) where left >= 0 {
      left -= size + message.exchange.utf8.count + message.routingKey.utf8.count + PublishCall.methodFrame
    }
    return left >= 0
  }

  /// Notes the number of the call among those of its connection.
  ///
  /// - Returns: false: the call is withdrawn.
  func begin(_ number: UInt64) -> Bool {
    standing.withLock { standing in
      if case .withdrawn = standing { return false }
      standing = .taken(number)
      return true
    }
  }

  /// - Returns: the number that the call began with; nil: it will not begin any more.
  func withdraw() -> UInt64? {
    standing.withLock { standing in
      guard case .taken(let number) = standing else {
        standing = .withdrawn
        return nil
      }
      return number
    }
  }
}
