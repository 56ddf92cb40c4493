import Teller

/// Takes as long as it is told: `{"ms": 700}`.
struct Sleep: JobHandler {
  static let kind: JobKind = "sleep"

  struct Payload: Codable, Sendable {
    /// How long it runs, in milliseconds.
    var ms: Int?
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    try await Task.sleep(for: .milliseconds(context.payload.ms ?? 0))
    return NoResult()
  }
}
