/// What Slack takes.
struct ChatMessage: Codable, Hashable, Sendable {
  var text: String
}
