/// What can go wrong in a world, at any moment.
enum Fault: String, CaseIterable, Sendable {
  /// The coordinator dies, also between a publish and the record of its confirm.
  case crash
  /// A worker dies.
  case death
  /// A worker loses its connections; it still reads what is in its socket.
  case cutOff
  /// The broker restarts: everything comes back flagged, and all connections are lost.
  case brokerRestart
  /// Somebody empties the department's queue.
  case purge
  /// The ledger is replaced by an earlier copy of it, of when the job had just been released, or was waiting.
  case rollback
}
