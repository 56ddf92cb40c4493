import ArgumentParser
import Foundation
import JobModel
import JobTransport

/// The id of a rejected message, or its beginning, as an argument.
struct RejectedID: ExpressibleByArgument, Hashable {
  /// The fewest characters that are taken for an id.
  static let shortest = 4
  private static let digits = Set("0123456789abcdef")

  let text: String

  init?(argument: String) {
    let text = argument.lowercased()
    guard text.count >= RejectedID.shortest, text.allSatisfy(RejectedID.digits.contains) else { return nil }
    self.text = text
  }
}

/// Rejected messages for people.
enum RejectedText {
  /// The fewest characters of an id in a table for people.
  static let shownCharacters = 10

  /// A row for each message. `shortens`: whether the ids are cut to as many characters as tell them apart.
  static func table(_ messages: [RejectedMessage], shortens: Bool, now: Timestamp) -> Table {
    var table = Table("ID", "PARKED", "FROM", "USER", "SIZE", "ERROR")
    let characters = shortens ? shortest(messages.map(\.id)) : Int.max
    for message in messages {
      table.add(
        String(message.id.prefix(characters)),
        message.parked.map { Moments.relative($0.date, now: now.date) } ?? "–", message.from ?? "–",
        message.user ?? "–", "\(message.size) B", message.reason?.description ?? "–")
    }
    return table
  }

  /// How many characters tell ids apart; at least ``shownCharacters``.
  static func shortest(_ ids: [String]) -> Int {
    let ids = Set(ids).sorted()
    let common = zip(ids, ids.dropFirst()).map { zip($0, $1).prefix { $0 == $1 }.count }
    return max(shownCharacters, (common.max() ?? 0) + 1)
  }

  /// `1 message`, `12 messages`.
  static func count(_ count: Int) -> String { "\(count) \(count == 1 ? "message" : "messages")" }

  /// A line for each property, and the body.
  static func lines(_ message: RejectedMessage, now: Timestamp) -> [String] {
    let fields: [(String, String?)] = [
      ("message", message.id), ("parked", message.parked.map { Moments.text($0.date, now: now.date) }),
      ("from", message.from), ("user", message.user ?? "the message names none"),
      ("error", message.reason?.description), ("size", "\(message.size) bytes"),
      ("put back", message.obstacle.map { "not possible: \($0)" } ?? "possible"),
    ]
    let properties = RejectedProperties(message)
    let headers = (properties.headers ?? [:]).sorted { $0.key < $1.key }
    return fields.compactMap { name, value in value.map { NamedLine.text(name, $0) } }
      + properties.named.compactMap { name, value in value.map { NamedLine.text(name, $0) } }
      + headers.map { NamedLine.text("header", "\($0.key)  \((try? PrintedJSON.text($0.value)) ?? "")") }
      + [NamedLine.text("body", ResultText(message.body).shown)]
  }
}

extension RejectedProperties {
  /// The properties beside the headers, by AMQP's names.
  var named: [(name: String, value: String?)] {
    [
      ("message_id", messageId), ("type", type), ("content_type", contentType), ("encoding", contentEncoding),
      ("reply_to", replyTo), ("correlation", correlationId), ("app_id", appId), ("expiration", expiration),
      ("priority", priority.map { "\($0)" }),
      ("timestamp", timestamp.map { Moments.iso(Date(timeIntervalSince1970: Double($0))) }),
    ]
  }
}
