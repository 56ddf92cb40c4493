import Dispatch
import Foundation
import Teller

/// Leaves a trace: one line `JOB ATTEMPT PID` in the file that `TESTBENCH_EFFECTS` names, before it runs for
/// `{"ms": 20}` milliseconds. With `{"tells_end": true}` it leaves the same line with a fourth word, `ended`, behind it.
/// With `{"timed": true}` its two lines are `JOB ATTEMPT PID began TIME` and `JOB ATTEMPT PID ended TIME`, in nanoseconds
/// of the machine's monotonic clock. What a process wrote stays when it is killed.
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

    enum CodingKeys: String, CodingKey {
      case ms, timed
      case tellsEnd = "tells_end"
    }
  }

  func run(context: JobContext<Payload>) async throws -> NoResult {
    let trace = "\(context.id) \(context.attempt) \(getpid())"
    let isTimed = context.payload.timed == true
    try Effect.append(isTimed ? trace + " began \(Effect.now)\n" : trace + "\n")
    if let ms = context.payload.ms { try await Task.sleep(for: .milliseconds(ms)) }
    if isTimed { try Effect.append(trace + " ended \(Effect.now)\n") }
    if context.payload.tellsEnd == true { try Effect.append(trace + " ended\n") }
    return NoResult()
  }

  /// The same clock for all processes of a machine, in nanoseconds.
  private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

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
