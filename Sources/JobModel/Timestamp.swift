import Foundation

/// A moment of a machine's wall clock, in whole milliseconds since 1970. Only ever compared with moments of the same
/// machine: how long something took is measured on a monotonic clock where it happens.
package struct Timestamp: Hashable, Sendable, Comparable, Codable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// The present time of this machine.
  package static func now() -> Timestamp {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

  package static func - (left: Timestamp, right: Duration) -> Timestamp {
    Timestamp(milliseconds: left.milliseconds - right.milliseconds)
  }

  package static func + (left: Timestamp, right: Duration) -> Timestamp {
    Timestamp(milliseconds: left.milliseconds + right.milliseconds)
  }

  package init(from decoder: any Decoder) throws {
    milliseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }
}

extension Duration {
  /// Whole milliseconds, cut off.
  package var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// Whole microseconds, cut off.
  package var microseconds: Int64 {
    components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
  }

  /// For people: `250 ms`, `1.5 s`, `10 min`.
  package var inWords: String {
    let milliseconds = milliseconds
    switch milliseconds {
    case ..<1_000: return "\(milliseconds) ms"
    case 60_000... where milliseconds % 60_000 == 0: return "\(milliseconds / 60_000) min"
    case _ where milliseconds % 1_000 == 0: return "\(milliseconds / 1_000) s"
    default: return "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
    }
  }
}
