import Synchronization

/// How a process stands with the broker.
package enum BrokerState: String, Hashable, Sendable, Codable {
  /// All connections are open.
  case connected
  /// Connected, and the broker takes no messages: it is short of memory or disk.
  case blocked
  /// Not connected, or not yet.
  case lost
}

/// The state of a session, and who wants to hear of its changes.
final class BrokerStateBoard: Sendable {
  private struct Content {
    var state = BrokerState.lost
    var blocked: Set<BrokerConnections.Role> = []
    var listeners: [Int: AsyncStream<BrokerState>.Continuation] = [:]
    var nextListener = 0
    var wasReady = false
  }

  private let content = Mutex(Content())

  /// The most changes that a listener may have unread; the oldest go first.
  static let changeLimit = 16

  var state: BrokerState { content.withLock { $0.state } }

  /// Whether whoever uses the session has said that everything it needs was granted.
  var wasReady: Bool { content.withLock { $0.wasReady } }

  func becameReady() { content.withLock { $0.wasReady = true } }

  func opened() { change { $0.state = .connected } }

  func lost() {
    change {
      $0.state = .lost
      $0.blocked = []
    }
  }

  func setBlocked(_ isBlocked: Bool, _ role: BrokerConnections.Role) {
    change {
      if isBlocked { $0.blocked.insert(role) } else { $0.blocked.remove(role) }
      if $0.state != .lost { $0.state = $0.blocked.isEmpty ? .connected : .blocked }
    }
  }

  /// The present state, then every change.
  func changes() -> AsyncStream<BrokerState> {
    let (stream, listener) = AsyncStream.makeStream(
      of: BrokerState.self, bufferingPolicy: .bufferingNewest(BrokerStateBoard.changeLimit))
    let key = content.withLock { content in
      let key = content.nextListener
      content.nextListener += 1
      content.listeners[key] = listener
      listener.yield(content.state)
      return key
    }
    listener.onTermination = { [weak self] _ in self?.forget(key) }
    return stream
  }

  private func forget(_ key: Int) {
    // Destroyed after the lock is given back: its end may call here again.
    let forgotten = content.withLock { $0.listeners.removeValue(forKey: key) }
    withExtendedLifetime(forgotten) {}
  }

  private func change(_ body: (inout Content) -> Void) {
    content.withLock { content in
      let before = content.state
      body(&content)
      guard content.state != before else { return }
      // Within the lock, so that every listener hears the changes in their order.
      for listener in content.listeners.values { listener.yield(content.state) }
    }
  }
}
