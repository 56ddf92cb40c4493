import Foundation
import Testing

@testable import JobModel

/// A time zone that the tests need; a machine without it fails them with its name.
func zone(_ name: String) throws -> Zone { try Zone(name) }

extension Timestamp {
  /// The moment of an ISO 8601 text with its offset, like `2026-03-29T03:00:00+02:00`.
  init(_ text: String) throws {
    self.init(milliseconds: Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000)
  }

  /// What the clocks of a zone show, and how far they are from UTC: `03-29 03:00 +2:00`.
  func shown(in zone: Zone) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    let minutes = zone.offset(at: Int(milliseconds / 1_000)) / 60
    let wall = (date + Double(minutes * 60)).formatted(.iso8601.dateTimeSeparator(.space))
    let offset =
      "\(minutes < 0 ? "-" : "+")\(abs(minutes) / 60):\(abs(minutes) % 60 < 10 ? "0" : "")\(abs(minutes) % 60)"
    return "\(wall.dropFirst(5).prefix(11)) \(offset)"
  }
}

extension CronExpression {
  /// The next times after a moment, as the zone's clocks show them.
  func fires(_ count: Int, after start: String, in zone: Zone) throws -> [String] {
    var time = try Timestamp(start)
    var shown: [String] = []
    for _ in 0..<count {
      guard let next = next(after: time, in: zone) else { break }
      shown.append(next.shown(in: zone))
      time = next
    }
    return shown
  }
}
