import Foundation
import JobModel

/// A notification as one line of text, for Slack and for what takes the same.
struct SlackText: Hashable, Sendable {
  /// The most characters of it, before they are escaped.
  static let limit = 1_000

  /// As Slack reads it.
  let text: String

  init(_ news: WebhookNews) {
    let what = [news.plan.map { "plan \($0)" }, news.name, news.kind].compactMap(\.self).joined(separator: " ")
    var line = news.event ?? "notification"
    if !what.isEmpty { line += ": \(what)" }
    if let department = news.department { line += " in \(department)" }
    if let attempt = news.attempt, attempt > 1 { line += ", attempt \(attempt)" }
    if let error = news.error { line += ": \(error.code): \(error.message)" }
    if let job = news.job { line += " (\(job))" }
    text = SlackText.escaped(SlackText.oneLine(line))
  }

  /// The body of the request.
  var body: [UInt8] {
    // One text encodes always.
    let data = try? JSONEncoder().encode(["text": text])
    return data.map { [UInt8]($0) } ?? []
  }

  private static func oneLine(_ text: String) -> String {
    let line = String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .lineSeparator, .paragraphSeparator, .format: " "
          default: scalar
          }
        }))
    return line.count > limit ? line.prefix(limit) + "…" : line
  }

  /// Slack reads these three as the beginning of a link, of a mention, or of a character.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.append(character)
      }
    }
  }
}
