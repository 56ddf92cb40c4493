import Hosting
import Synchronization

/// Whether a client can work, for its services: it is connected, and the broker takes messages on every line.
final class ClientOpening: Sendable {
  private struct State {
    var isConnected = false
    var blocked: Set<ClientLine.Purpose> = []
  }

  let services: HostedServices
  private let state = Mutex(State())

  init(_ services: HostedServices) { self.services = services }

  func learn(isConnected: Bool) { change { $0.isConnected = isConnected } }

  /// A line that is lost is blocked no longer: it is opened again when it is needed.
  func learn(_ line: ClientLine.Purpose, isBlocked: Bool) {
    change { if isBlocked { $0.blocked.insert(line) } else { $0.blocked.remove(line) } }
  }

  /// Told while the state is locked: the services hear of the changes in their order.
  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      services.show(isOpen: state.isConnected && state.blocked.isEmpty)
    }
  }
}
