import JobTransport

/// How a client stands with its broker at a moment.
package enum ClientStanding: Hashable, Sendable {
  case connected
  /// Connected, and the broker takes no messages. The reason is in its own words.
  case blocked(reason: String)
  /// Not connected, or not yet. The reason is for people.
  case lost(reason: String)
  /// The broker refuses the client, and a person must act. The reason is for people.
  case refused(reason: String)
}

extension TellerClient {
  /// How the client stands with its broker now.
  package var standing: ClientStanding {
    guard core.links.present != nil else {
      let reason = "\(core.noConnection(for: nil))"
      return core.session.isRefused ? .refused(reason: reason) : .lost(reason: reason)
    }
    return core.lines.blocked.map { .blocked(reason: $0) } ?? .connected
  }
}
