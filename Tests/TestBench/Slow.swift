import Foundation
import Teller

/// Takes as long as it is told, `{"ms": 700}`, and ends at once when it is cancelled. Where `TESTBENCH_EFFECTS` names a
/// file it leaves traces like `effect`: at its beginning, and with a fourth word at its end, `ended` or `cancelled`.
struct Slow: JobHandler {
  static let kind: JobKind = "slow"

  struct Payload: Codable, Sendable {
    /// How long it runs, in milliseconds.
    var ms: Int?
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    let trace = "\(context.id) \(context.attempt) \(getpid())"
    try Effect.appendIfNamed(trace + "\n")
    do {
      try await Task.sleep(for: .milliseconds(context.payload.ms ?? 0))
    } catch {
      try Effect.appendIfNamed(trace + " cancelled\n")
      throw error
    }
    try Effect.appendIfNamed(trace + " ended\n")
    return NoResult()
  }
}
