import Foundation
import JobModel

/// Times for people.
enum Moments {
  /// `2026-03-01T12:00:00.250Z (3 s ago)`.
  static func text(_ moment: Date, now: Date) -> String { "\(iso(moment)) (\(relative(moment, now: now)))" }

  /// The date to the nearest millisecond: a date has fractions of a second without an exact decimal form.
  static func iso(_ moment: Date) -> String {
    let exact = (moment.timeIntervalSince1970 * 1000).rounded()
    // The number comes from outside, and may be any number.
    let milliseconds = Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
    let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    return text.dropLast() + String(format: ".%03dZ", rest)
  }

  /// `3 s ago`, or `in 1 h 59 min`: a moment ahead is more exact, since somebody waits for it. Clocks differ between
  /// machines, so a past moment may seem to lie ahead.
  static func relative(_ moment: Date, now: Date) -> String {
    let seconds = now.timeIntervalSince(moment)
    guard seconds < 0 else { return "\(span(seconds)) ago" }
    return "in \(duration(.seconds(min(-seconds, longest))))"
  }

  /// The longest time ahead, a thousand years in seconds; a later moment is shown as this.
  private static let longest: Double = 1_000 * 365 * 86_400

  /// The largest unit that fits, cut off: `59 s`, `1 min`, `2 h`, `3 d`.
  static func span(_ seconds: Double) -> String {
    switch seconds {
    case ..<1: "\(Int(seconds * 1000)) ms"
    case ..<60: "\(Int(seconds)) s"
    case ..<3_600: "\(Int(seconds / 60)) min"
    case ..<86_400: "\(Int(seconds / 3_600)) h"
    default: "\(Int(min(seconds / 86_400, 1_000_000))) d"
    }
  }

  /// A duration, exact enough to compare: `250 ms`, `12.4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
  static func duration(_ duration: Duration) -> String {
    let milliseconds = duration.milliseconds
    let seconds = milliseconds / 1_000
    return switch seconds {
    case ..<1: "\(milliseconds) ms"
    case ..<60: "\(seconds).\(milliseconds % 1_000 / 100) s"
    case ..<3_600: "\(seconds / 60) min" + rest(seconds % 60, "s")
    case ..<86_400: "\(seconds / 3_600) h" + rest(seconds % 3_600 / 60, "min")
    default: "\(seconds / 86_400) d" + rest(seconds % 86_400 / 3_600, "h")
    }
  }

  /// The duration from one moment to a later one, to the nearest millisecond; no time for an earlier one.
  static func between(_ start: Date, _ end: Date) -> String {
    duration(.milliseconds(Int64((max(0, end.timeIntervalSince(start)) * 1_000).rounded())))
  }

  private static func rest(_ count: Int64, _ unit: String) -> String { count > 0 ? " \(count) \(unit)" : "" }
}
