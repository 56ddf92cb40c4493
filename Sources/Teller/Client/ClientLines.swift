import JobTransport
import Logging

/// The lines of a client: as many connections at most, beside the one for replies.
struct ClientLines: Sendable {
  let submitting: ClientLine
  let asking: ClientLine
  let commanding: ClientLine
  /// All watches share a line: they read the same stream.
  let watching: ClientLine

  init(_ source: BrokerSource, name: String, logger: Logger, opening: ClientOpening) {
    submitting = ClientLine(.submitting, source, name: name, logger: logger, opening: opening)
    asking = ClientLine(.asking, source, name: name, logger: logger, opening: opening)
    commanding = ClientLine(.commanding, source, name: name, logger: logger, opening: opening)
    watching = ClientLine(.watching, source, name: name, logger: logger, opening: opening)
  }

  private var all: [ClientLine] { [submitting, asking, commanding, watching] }

  /// Why the broker takes nothing on one of them, in its own words; nil: it does.
  var blocked: String? { all.lazy.compactMap(\.blocked).first }

  func end() async {
    await withTaskGroup(of: Void.self) { group in
      for line in all { group.addTask { await line.end() } }
    }
  }
}
