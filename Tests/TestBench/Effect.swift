import Dispatch
import Foundation
import Teller

/// Leaves a trace: one line `JOB ATTEMPT PID` in the file that `TESTBENCH_EFFECTS` names, before it runs for
/// `{"ms": 20}` milliseconds. With `{"tells_end": true}` it leaves the same line with a fourth word, `ended`, behind it.
/// With `{"timed": true}` its two lines are `JOB ATTEMPT PID began TIME` and `JOB ATTEMPT PID ended TIME`, in nanoseconds
/// of the machine's monotonic clock. `{"fails": 2}` fails the first two attempts, and `{"permanent": true}` fails so that
/// trying again cannot help: with the word `failed` in the place of `ended`. What a process wrote stays when it is killed.
struct Effect: JobHandler {
  static let kind: JobKind = "effect"
  static let variable = "TESTBENCH_EFFECTS"

  struct Payload: Codable, Sendable {
    /// How long it runs after the trace, in milliseconds.
    var ms: Int?
    /// Whether its end leaves a trace too.
    var tellsEnd: Bool?
    /// Whether beginning and end leave a trace with their times.
    var timed: Bool?
    /// The attempts that fail.
    var fails: Int?
    /// Whether each fails, and for good.
    var permanent: Bool?

    enum CodingKeys: String, CodingKey {
      case ms, timed, fails, permanent
      case tellsEnd = "tells_end"
    }
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    let trace = "\(context.id) \(context.attempt) \(getpid())"
    let isTimed = context.payload.timed == true
    try Effect.append(isTimed ? trace + " began \(Effect.now)\n" : trace + "\n")
    if let ms = context.payload.ms { try await Task.sleep(for: .milliseconds(ms)) }
    let failure = Effect.failure(of: context)
    if isTimed { try Effect.append(trace + " \(failure == nil ? "ended" : "failed") \(Effect.now)\n") }
    if let failure { throw failure }
    if context.payload.tellsEnd == true { try Effect.append(trace + " ended\n") }
    return NoResult()
  }

  private static func failure(of context: JobContext<Payload>) -> (any Error)? {
    let message = "attempt \(context.attempt) fails because the payload asks for it"
    if context.payload.permanent == true { return PermanentFailure(code: "asked_to_fail", message: message) }
    guard context.attempt <= context.payload.fails ?? 0 else { return nil }
    return JobFailure(code: "asked_to_fail", message: message)
  }

  /// The same clock for all processes of a machine, in nanoseconds.
  static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Leaves a trace if there is a file for traces.
  static func appendIfNamed(_ line: String) throws {
    if ProcessInfo.processInfo.environment[Effect.variable] != nil { try append(line) }
  }

  /// One write to a file opened for appending: lines of several processes never mix.
  static func append(_ line: String) throws {
    guard let path = ProcessInfo.processInfo.environment[Effect.variable] else {
      throw PermanentFailure(code: "no_effects_file", message: "set \(Effect.variable) to the file for the traces")
    }
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(file) }
    let bytes = Array(line.utf8)
    guard write(file, bytes, bytes.count) == bytes.count else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }
}
