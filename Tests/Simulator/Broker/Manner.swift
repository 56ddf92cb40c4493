/// How a version of RabbitMQ does what its documentation leaves open, or another version does otherwise.
package enum Manner: String, CaseIterable, Sendable {
  case v3_10 = "3.10"
  case v4_0 = "4.0"
  case v4_3 = "4.3"

  /// Whether another connection may have an exclusive queue's name while the broker has not noticed the end of the last one.

  /// Whether a consumer of a stream gets all that was stored in one go, also where it may get less.
  var deliversWhatWasStoredAtOnce: Bool { self == .v3_10 }

  /// How many levels a quorum queue has.
  var quorumLevels: Int {
    switch self {
    case .v3_10: 1
    case .v4_0: 2
    case .v4_3: 32
    }
  }

  /// The level of a message with that priority in a quorum queue.
  func quorumLevel(of priority: UInt8?) -> Int {
    switch self {
    case .v3_10: 0
    case .v4_0: priority ?? 0 > 4 ? 1 : 0
    case .v4_3: min(Int(priority ?? 4), quorumLevels - 1)
    }
  }
}
