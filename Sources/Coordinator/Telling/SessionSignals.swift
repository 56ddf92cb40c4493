import JobTransport
/// What the parts of a session tell each other.
struct SessionSignals: Sendable {
  var outbox = Outbox()
  /// There are notifications for the stream.
  let unsentArrived = Signal()
  /// Turns have become safe.
  let turnsAreSafe = Signal()
  /// There are chores.
  let choresArrived = Signal()
}
