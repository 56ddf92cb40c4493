import Logging
import Teller

/// One step of opening the bank. The steps and their order are data: see ``Opening``.
struct InitStep: JobHandler {
  static let kind: JobKind = "init-step"

  struct Payload: Codable, Sendable {
    /// The step's name, such as `network-check`.
    var name: String
    /// How long the step takes.
    var milliseconds: Int
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    context.logger.debug("\(context.payload.name)")
    try await Task.sleep(for: .milliseconds(context.payload.milliseconds))
    return NoResult()
  }
}
