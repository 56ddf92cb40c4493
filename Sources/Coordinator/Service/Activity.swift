import JobTransport

/// What a coordinator is doing, as far as its health depends on it.
struct Activity: Hashable, Sendable {
  /// All its consumers are attached.
  var isServing = false
  var isDraining = false
  /// Another coordinator has its place on this broker.
  var isStandby = false
  /// The virtual host belongs to another ledger.
  var foreignClaim: ForeignClaim?
}
