import Foundation
import Teller

/// Leaves a trace like `effect`, and then does not come back, cancelled or not: `{"times": 1}` in the first attempt only,
/// `{}` in each.
struct Hang: JobHandler {
  static let kind: JobKind = "hang"

  struct Payload: Codable, Sendable {
    /// The attempts that hang; nil: all of them.
    var times: Int?
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    try Effect.append("\(context.id) \(context.attempt) \(getpid())\n")
    // Nobody has what could resume it; its teller is taken until the process ends.
    if context.attempt <= context.payload.times ?? .max {
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    return NoResult()
  }
}
