import Teller

/// Does nothing, whatever its payload is.
struct Noop: JobHandler {
  static let kind: JobKind = "noop"

  func run(context: JobContext<JSONValue>) async throws -> NoResult { NoResult() }
}

/// Answers with its payload.
struct Echo: JobHandler {
  static let kind: JobKind = "echo"

  func run(context: JobContext<JSONValue>) async throws -> JSONValue { context.payload }
}
