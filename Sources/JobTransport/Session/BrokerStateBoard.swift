import JobModel
import Synchronization

/// The state of a session.
final class BrokerStateBoard: Sendable {
  private struct Content {
    var state = BrokerState.lost
    var blocked: Set<BrokerConnections.Role> = []
    var wasReady = false
    var lastLoss: BrokerLoss?
  }

  private let content = Mutex(Content())

  var state: BrokerState { content.withLock { $0.state } }

  /// Whether the broker has granted every declaration and every consumer once.
  var wasReady: Bool { content.withLock { $0.wasReady } }

  func becameReady() { content.withLock { $0.wasReady = true } }

  /// Why there is no connection; nil: there is one, or none was tried yet.
  var lastLoss: BrokerLoss? { content.withLock { $0.lastLoss } }

  func opened() { content.withLock { ($0.state, $0.lastLoss) = (.connected, nil) } }

  func lost(_ loss: BrokerLoss? = nil) {
    content.withLock {
      ($0.state, $0.blocked) = (.lost, [])
      $0.lastLoss = loss ?? $0.lastLoss
    }
  }

  func setBlocked(_ isBlocked: Bool, _ role: BrokerConnections.Role) {
    content.withLock {
      if isBlocked { $0.blocked.insert(role) } else { $0.blocked.remove(role) }
      if $0.state != .lost { $0.state = $0.blocked.isEmpty ? .connected : .blocked }
    }
  }
}
