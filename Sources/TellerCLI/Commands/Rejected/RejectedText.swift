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
  static func table(_ messages: [RejectedMessage], now: Timestamp) -> Table {
    var table = Table("ID", "PARKED", "FROM", "SIZE", "ERROR")
    for message in messages {
      table.add(
        message.id, message.parked.map { Moments.relative($0.date, now: now.date) } ?? "–", message.from ?? "–",
        "\(message.size) B", message.reason?.description ?? "–")
    }
    return table
  }

  /// `1 message`, `12 messages`.
  static func count(_ count: Int) -> String { "\(count) \(count == 1 ? "message" : "messages")" }

  /// A line for each property, and the body.
  static func lines(_ message: RejectedMessage, now: Timestamp) -> [String] {
    let fields: [(String, String?)] = [
      ("message", message.id), ("parked", message.parked.map { Moments.text($0.date, now: now.date) }),
      ("from", message.from), ("error", message.reason?.description), ("size", "\(message.size) bytes"),
      ("put back", RejectedDocument(message).obstacle.map { "not possible: \($0)" } ?? "possible"),
    ]
    let properties = RejectedProperties(message.properties)
    let headers = (properties.headers ?? [:]).sorted { $0.key < $1.key }
    return fields.compactMap { name, value in value.map { NamedLine.text(name, $0) } }
      + properties.named.compactMap { name, value in value.map { NamedLine.text(name, $0) } }
      + headers.map { NamedLine.text("header", "\($0.key)  \((try? Output.jsonText($0.value)) ?? "")") }
      + [NamedLine.text("body", ResultText(message.body).shown)]
  }
}
