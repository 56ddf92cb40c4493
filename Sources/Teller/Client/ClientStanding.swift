/// How a client stands with its broker at a moment.
package enum ClientStanding: Hashable, Sendable {
  case connected
  /// Connected, and the broker takes no messages. The reason is in its own words.
  case blocked(reason: String)
  /// Not connected, or not yet. The reason is for people.
  case lost(reason: String)
}

extension TellerClient {
  /// How the client stands with its broker now.
  package var standing: ClientStanding {
    guard core.links.present != nil else { return .lost(reason: "\(core.noConnection(for: nil))") }
    return core.lines.blocked.map { .blocked(reason: $0) } ?? .connected
  }
}
