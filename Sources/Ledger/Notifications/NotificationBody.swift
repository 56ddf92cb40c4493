import struct Foundation.Data
import class Foundation.JSONDecoder
import class Foundation.JSONEncoder
import JobModel

/// A notification of a plan as the ledger keeps it: JSON, as the stream carries it, without its number.
enum NotificationBody {
  static func text(_ notification: Notification) -> String? {
    let encoder = JSONEncoder()
    // What is recorded twice is the same text.
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(notification) else { return nil }
    return String(decoding: json, as: UTF8.self)
  }

  /// Nil: the body is none of a plan's notification.
  static func notification(_ body: String, number: Int64) throws -> Notification? {
    guard var notification = try? JSONDecoder().decode(Notification.self, from: Data(body.utf8)) else { return nil }
    notification.seq = number
    return notification
  }
}
