package import JobTransport

/// What the parts of a session tell each other.
package struct SessionSignals: Sendable {
  package let outbox: Outbox
  /// There are notifications for the stream.
  package let unsentArrived = Signal()
  /// There are chores.
  package let choresArrived = Signal()

  package init(outbox: Outbox = Outbox()) { self.outbox = outbox }
}
