import Foundation
import Teller

/// Kills its own worker: `{"times": 1}` in the first attempt only, `{}` in each.
struct Crash: JobHandler {
  static let kind: JobKind = "crash"

  struct Payload: Codable, Sendable {
    /// The attempts that kill; nil: all of them.
    var times: Int?
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    if context.attempt <= context.payload.times ?? .max { kill(getpid(), SIGKILL) }
    return NoResult()
  }
}
