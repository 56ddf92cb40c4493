import AMQP
import AsyncAlgorithms

/// Publishes now and then, whether there is something to say or not.
///
/// A broker that is short of memory or disk takes nothing from whoever publishes, so that no worker can be heard. It tells
/// a connection of that only when the connection publishes its next message. A coordinator that is silent itself would
/// not hear of it, would take its workers for dead, and would take their jobs back.
///
/// What it says goes to itself: whether it comes back tells whether this coordinator hears at all.
package struct Pulse: Sendable {
  private let connections: BrokerConnections

  package init(connections: BrokerConnections) { self.connections = connections }

  /// Much shorter than a lease.
  package static let interval: Duration = .milliseconds(500)

  /// Waits in its message for as long as the broker takes none.
  package func run() async throws {
    for await _ in AsyncTimerSequence(interval: Pulse.interval, clock: .continuous) {
      try await connections.publishing.publish(PresenceCodec.pulse)
    }
  }
}
