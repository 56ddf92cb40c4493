import Logging
import Teller

/// One step of opening the bank. It knows only itself: which steps there are, and in which order, is data (`Opening`).
struct InitStep: JobHandler {
  static let kind: JobKind = "init-step"

  struct Payload: Codable, Sendable {
    /// What is done, such as `network-check`.
    var name: String
    /// How long it takes.
    var milliseconds: Int
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    context.logger.debug("\(context.payload.name)")
    try await Task.sleep(for: .milliseconds(context.payload.milliseconds))
    return NoResult()
  }
}
