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
  /// Somebody deletes the department's queue: its messages are gone, also those that workers have not acked, and so are
  /// its consumers.
  case deletion
  /// The broker restarts with an empty disk: every message is gone, in every queue, also reports that it had confirmed.
  case diskLoss
  /// The coordinator dies in the middle of a turn, and another one takes its place: the turn is recorded, and nothing of
  /// it is acked, or a release is still on its way.
  case takeover
  /// A worker's presences expire before the coordinator reads them: their queue has a time to live, and a length.
  case expiry
  /// The ledger is replaced by an earlier copy of it, of when the job had just been released, or was waiting.
  case rollback
}
