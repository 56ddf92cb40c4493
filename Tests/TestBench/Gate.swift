import Dispatch
import Foundation
import Teller

/// Leaves a trace like `effect`, says how far it has come, then runs until the test opens the gate: until somebody opens the
/// named pipe that `TESTBENCH_GATE` names for writing. `{"says": "half"}` is its word for how far it has come.
struct Gate: JobHandler {
  static let kind: JobKind = "gate"
  static let variable = "TESTBENCH_GATE"

  func run(context: JobContext<JSONValue>) async throws -> NoResult {
    try Effect.append("\(context.id) \(context.attempt) \(getpid())\n")
    context.progress(0.4, Gate.word(in: context.payload) ?? "page 4\nof 10")
    try await Gate.wait()
    return NoResult()
  }

  private static func word(in payload: JSONValue) -> String? {
    guard case .object(let members) = payload, case .string(let word)? = members["says"] else { return nil }
    return word
  }

  /// Waits until the test opens the gate.
  static func wait() async throws {
    guard let path = ProcessInfo.processInfo.environment[Gate.variable] else {
      throw PermanentFailure(code: "no_gate", message: "set \(Gate.variable) to a named pipe")
    }
    await withCheckedContinuation { continuation in
      // Opening a pipe waits for its other end: on a thread that nobody else needs.
      Thread.detachNewThread {
        Gate.pass(path)
        continuation.resume()
      }
    }
  }

  /// Waits on this thread until somebody opens the pipe for writing.
  static func pass(_ path: String) {
    let pipe = open(path, O_RDONLY | O_CLOEXEC)
    if pipe >= 0 { close(pipe) }
  }
}
