import JobModel
import Synchronization

/// The state of a session.
final class BrokerStateBoard: Sendable {
  private struct Content {
    var state = BrokerState.lost
    var blocked: Set<BrokerConnections.Role> = []
    var wasReady = false
    var lastLoss: BrokerLoss?
    /// When the broker last answered on each connection, on the session's clock.
    var answered: [BrokerConnections.Role: Duration] = [:]
  }

  private let content = Mutex(Content())

  var state: BrokerState { content.withLock { $0.state } }

  /// Whether the broker has granted every declaration and every consumer once.
  var wasReady: Bool { content.withLock { $0.wasReady } }

  func becameReady() { content.withLock { $0.wasReady = true } }

  /// Why there is no connection; nil: there is one, or none was tried yet.
  var lastLoss: BrokerLoss? { content.withLock { $0.lastLoss } }

  /// All connections of these purposes are open.
  func opened(_ roles: [BrokerConnections.Role], at now: Duration) {
    content.withLock {
      ($0.state, $0.lastLoss) = (.connected, nil)
      $0.answered = Dictionary(uniqueKeysWithValues: roles.map { ($0, now) })
    }
  }

  /// The broker has answered on a connection.
  func answered(_ role: BrokerConnections.Role, at now: Duration) { content.withLock { $0.answered[role] = now } }

  /// The check that the process is connected, and the broker answers on each connection, and takes messages.
  func check(at now: Duration) -> HealthReport.Check {
    let (state, answered) = content.withLock { ($0.state, $0.answered) }
    guard state == .connected else { return state.check }
    let silent = answered.mapValues { now - $0 }.filter { $0.value > SignsOfLife.limit }
    guard let longest = silent.values.max() else { return state.check }
    let roles = silent.keys.map(\.rawValue).sorted().joined(separator: ", ")
    return HealthReport.Check(
      "broker", isOK: false, detail: "no answer on the connection for \(roles) for \(longest.inWords)", age: longest)
  }

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
