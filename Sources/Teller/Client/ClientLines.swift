import Logging

/// The lines of a client: as many connections at most, beside the one for replies.
struct ClientLines: Sendable {
  let submitting: ClientLine
  let asking: ClientLine
  let commanding: ClientLine
  /// All watches share a line: they read the same stream.
  let watching: ClientLine

  init(name: String, logger: Logger) {
    submitting = ClientLine(.submitting, name: name, logger: logger)
    asking = ClientLine(.asking, name: name, logger: logger)
    commanding = ClientLine(.commanding, name: name, logger: logger)
    watching = ClientLine(.watching, name: name, logger: logger)
  }

  func end() async {
    await withTaskGroup(of: Void.self) { group in
      for line in [submitting, asking, commanding, watching] { group.addTask { await line.end() } }
    }
  }
}
