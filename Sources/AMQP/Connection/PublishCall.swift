import Synchronization

/// Is told the answers to the messages of one call.
struct PublishWaiter: Sendable {
  let tell: @Sendable (Result<[PublishResult], AMQPError>) -> Void

  /// The same for the messages of a call that are sent; with the results of those that are not.
  func with(_ refused: [PublishCall.Refused], besides sent: Int) -> PublishWaiter {
    if refused.isEmpty { return self }
    return PublishWaiter { [tell] answer in
      tell(
        answer.map { results in
          // Withdrawn messages have no results.
          guard results.count == sent else { return results }
          // In the order of the indices: each comes to its place.
          return refused.reduce(into: results) { $0.insert($1.result, at: $1.index) }
        })
    }
  }
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

  /// A message that is not sent, because the broker would not read it.
  struct Refused: Sendable {
    /// Its place among all messages of the call.
    let index: Int
    let message: Publishing
    let result: PublishResult
  }

  /// The messages that are sent.
  let messages: [Publishing]
  let sizes: [Int]
  let refused: [Refused]
  let isTransient: Bool
  private let standing = Mutex(Standing.new)

  init(_ messages: [Publishing], checkedBy checks: PublishingChecks, isTransient: Bool) throws(AMQPError) {
    var (sizes, refused) = ([Int](), [Refused]())
    sizes.reserveCapacity(messages.count)
    for (index, message) in messages.enumerated() {
      switch try checks.look(at: message) {
      case .size(let size): sizes.append(size)
      case .refused(let result): refused.append(Refused(index: index, message: message, result: result))
      }
    }
    (self.sizes, self.refused, self.isTransient) = (sizes, refused, isTransient)
    guard !refused.isEmpty else {
      self.messages = messages
      return
    }
    let left = Set(refused.map(\.index))
    self.messages = messages.indices.filter { !left.contains($0) }.map { messages[$0] }
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
