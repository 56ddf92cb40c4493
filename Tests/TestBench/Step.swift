import Foundation
import Teller

/// A step of a plan, the job of an event, or a job of no plan. It leaves two lines, `begin JOB ROUND ATTEMPT PID TIME NAME`
/// and the same with `end`, or with `fail` where it fails. The time is in milliseconds since 1970, as the ledger's times
/// are. `{"waits": true}` runs until the test opens the gate, as `gate` does. `{"fails": "CODE"}` fails with that code, and
/// with `"rounds": 1` in its first round only.
struct Step: JobHandler {
  static let kind: JobKind = "step"

  struct Payload: Codable, Sendable {
    /// Whether it waits for the gate.
    var waits: Bool?
    /// The code of its failure.
    var fails: String?
    /// The rounds that fail; nil: all of them.
    var rounds: Int?
    /// The name of a job that is of no plan.
    var name: String?
  }

  /// So long that two which run at once are seen to do so.
  private static let time = Duration.milliseconds(15)

  func run(context: JobContext<Payload>) async throws -> NoResult {
    let payload = context.payload
    let (name, round) = (context.step?.name ?? payload.name ?? "job", context.step?.round ?? 0)
    let run = "\(context.id) \(round) \(context.attempt) \(getpid())"
    func trace(_ word: String) throws { try Effect.append("\(word) \(run) \(Step.now) \(name)\n") }
    try trace("begin")
    if payload.waits == true { try await Gate.wait() }
    try await Task.sleep(for: Step.time)
    if let code = payload.fails, round <= payload.rounds ?? .max {
      try trace("fail")
      throw PermanentFailure(code: code, message: "round \(round) fails because the payload asks for it")
    }
    try trace("end")
    return NoResult()
  }

  private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}
