/// The parts of a coordinator that show that they go on.
enum HealthPart {
  static let intake = "intake"
  static let recorder = "recorder"
  static let presence = "presence"
  static let requests = "requests"
  static let admin = "admin"
  static let chores = "chores"
  static let telling = "telling"
  static let notifier = "notifier"
  static let timekeeper = "timekeeper"
  static let queues = "queues"
  /// The coordinator's own message has come back to it, through the broker and one of its consumers.
  static let hearing = "hearing"
  /// Something was written to the ledger.
  static let ledger = "ledger"
}

/// What a coordinator is doing, as far as its health depends on it.
struct Activity: Hashable, Sendable {
  /// All its consumers are attached.
  var isServing = false
  var isDraining = false
  /// Another coordinator has its place on this broker.
  var isStandby = false
}
