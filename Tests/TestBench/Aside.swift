import Teller

/// The same as `effect`, under a name that a worker has a handler for only when it is told so.
struct Aside: JobHandler {
  static let kind: JobKind = "aside"

  func run(context: JobContext<Effect.Payload>) async throws -> NoResult { try await Effect().run(context: context) }
}
