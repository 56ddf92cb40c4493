import Teller

/// Does nothing, whatever its payload is.
struct Noop: JobHandler {
  static let kind: JobKind = "noop"

  /// Any JSON, of which nothing is kept.
  struct Payload: Codable, Sendable {
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) throws { try JSONValue.object([:]).encode(to: encoder) }
  }

  func run(context: JobContext<Payload>) async throws -> NoResult { NoResult() }
}

/// Answers with its payload.
struct Echo: JobHandler {
  static let kind: JobKind = "echo"

  func run(context: JobContext<JSONValue>) async throws -> JSONValue { context.payload }
}
