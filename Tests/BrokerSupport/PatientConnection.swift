package import AMQP
import TestSupport

extension ConnectionOptions {
  /// The options of a test's own connection. Its timeouts are long: the broker serves hundreds of tests at once, and what
  /// is tested is not this connection. Only a test of a timeout sets a short one.
  package static func patient(_ name: String = "test") -> ConnectionOptions {
    var options = ConnectionOptions(name: name)
    options.heartbeat = .seconds(60)
    options.handshakeTimeout = patience
    options.rpcTimeout = patience
    options.sendTimeout = patience
    return options
  }
}

extension Connection {
  /// A test's own connection, with ``ConnectionOptions/patient(_:)``.
  package static func patient(to url: BrokerURL, name: String = "test") async throws -> Connection {
    try await open(url, options: .patient(name))
  }

  /// The same by the text of the URL.
  package static func patient(to url: String, name: String = "test") async throws -> Connection {
    try await patient(to: try BrokerURL(url), name: name)
  }

  /// How many messages and consumers a queue has. A message that is delivered and not acked is not counted.
  package func state(of queue: String) async throws -> QueueDeclared {
    var declaration = QueueDeclaration(queue)
    declaration.isPassive = true
    return try await declare(declaration)
  }
}
