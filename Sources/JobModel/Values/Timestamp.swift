package import Foundation

/// A moment of a machine's wall clock, in whole milliseconds since 1970. Only ever compared with moments of the same
/// machine: how long something took is measured on a monotonic clock where it happens.
///
/// Some come from other programs and from the ledger's file: whatever they say, no sum and no difference stops the
/// program. What does not fit is the last moment that can be told, or the first.
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
    Timestamp(milliseconds: left.milliseconds.clampedSubtracting(right.milliseconds))
  }

  package static func + (left: Timestamp, right: Duration) -> Timestamp {
    Timestamp(milliseconds: left.milliseconds.clampedAdding(right.milliseconds))
  }

  /// How many milliseconds there are from an earlier moment to this one; negative when that one is later.
  package func milliseconds(since earlier: Timestamp) -> Int64 {
    milliseconds.clampedSubtracting(earlier.milliseconds)
  }

  package init(from decoder: any Decoder) throws { milliseconds = try Int64(from: decoder) }
  package func encode(to encoder: any Encoder) throws { try milliseconds.encode(to: encoder) }
}

extension Timestamp {
  /// A date, to the nearest millisecond. A date may be any number, or none: what does not fit is the last moment that can
  /// be told, or the first.
  package init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min))
  }

  /// The same moment as Foundation has it.
  package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Timestamp {
  /// As in `2026-03-01T12:00:00.250Z`, with every millisecond as it is (RFC 3339).
  package var rfc3339: String {
    let rest = ((milliseconds % 1_000) + 1_000) % 1_000
    let second = Date(timeIntervalSince1970: Double(milliseconds.clampedSubtracting(rest) / 1_000)).formatted(.iso8601)
    return second.dropLast() + ".\(String(1_000 + rest).dropFirst())Z"
  }
}

extension Duration {
  /// Whole milliseconds, cut off; the largest or the smallest number for what does not fit.
  package var milliseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000) }

  /// Whole microseconds, cut off; the largest or the smallest number for what does not fit.
  package var microseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }
}

/// Arithmetic on numbers that may be anything: a result that does not fit is the largest or the smallest number.
extension Int64 {
  package func clampedAdding(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  package func clampedSubtracting(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  package func clampedMultiplied(by other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}
