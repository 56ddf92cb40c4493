import Foundation
import Teller

/// Does not end, cancelled or not: until the test opens the gate, as with `gate`, or for ever where `TESTBENCH_GATE` names
/// none. `{"blocks": true}` also blocks its thread; `{"times": 1}` hangs in the first attempt only. Where
/// `TESTBENCH_EFFECTS` names a file it leaves traces like `effect`, at its beginning, and with a fourth word `ended` at its
/// end; with `{"timed": true}` those with times.
struct Hang: JobHandler {
  static let kind: JobKind = "hang"

  struct Payload: Codable, Sendable {
    /// Whether it keeps its thread.
    var blocks: Bool?
    /// The attempts that hang; nil: all of them.
    var times: Int?
    /// Whether its traces have their times.
    var timed: Bool?
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    let trace = "\(context.id) \(context.attempt) \(getpid())"
    let isTimed = context.payload.timed == true
    try Effect.appendIfNamed(trace + (isTimed ? " began \(Effect.now)\n" : "\n"))
    defer { if isTimed { try? Effect.appendIfNamed(trace + " ended \(Effect.now)\n") } }
    guard context.attempt <= context.payload.times ?? .max else { return NoResult() }
    if context.payload.blocks == true { Hang.wait() } else { await Hang.suspend() }
    if !isTimed { try Effect.appendIfNamed(trace + " ended\n") }
    return NoResult()
  }

  private static func suspend() async {
    await withCheckedContinuation { continuation in
      // On a thread that nobody else needs.
      Thread.detachNewThread {
        wait()
        continuation.resume()
      }
    }
  }

  private static func wait() {
    if let path = ProcessInfo.processInfo.environment[Gate.variable] { return Gate.pass(path) }
    while true { Thread.sleep(forTimeInterval: 3_600) }
  }
}
