/// The parts of a coordinator that show that they go on.
package enum HealthPart {
  package static let intake = "intake"
  package static let recorder = "recorder"
  package static let presence = "presence"
  package static let requests = "requests"
  package static let admin = "admin"
  package static let chores = "chores"
  package static let telling = "telling"
  package static let notifier = "notifier"
  package static let timekeeper = "timekeeper"
  package static let queues = "queues"
  /// The coordinator's own message has come back to it, through the broker and one of its consumers.
  package static let hearing = "hearing"
  /// Something was written to the ledger.
  package static let ledger = "ledger"
}
