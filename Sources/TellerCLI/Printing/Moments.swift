import Foundation
import JobModel

/// Moments for people.
enum Moments {
  /// `2026-03-01T12:00:00.250Z (3 s ago)`.
  static func text(_ moment: Date, now: Date) -> String { "\(iso(moment)) (\(relative(moment, now: now)))" }

  /// The date to the nearest millisecond: a date has fractions of a second without an exact decimal form.
  static func iso(_ moment: Date) -> String { Timestamp(moment).rfc3339 }

  /// `3 s ago`, or `in 1 h 59 min`. Clocks differ between machines, so a past moment may seem to lie ahead.
  static func relative(_ moment: Date, now: Date) -> String {
    moment > now ? "in \(between(now, moment))" : "\(between(moment, now)) ago"
  }

  /// The longest time between two moments, a thousand years in seconds; a longer one is shown as this.
  private static let longest: Double = 1_000 * 365 * 86_400

  /// The time from one moment to a later one, to the nearest millisecond; no time for an earlier one.
  static func between(_ start: Date, _ end: Date) -> String {
    let seconds = min(max(0, end.timeIntervalSince(start)), longest)
    return Duration.milliseconds(Int64((seconds * 1_000).rounded())).inWords
  }
}
