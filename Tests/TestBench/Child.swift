import Foundation
import Teller

/// Starts a program, as handlers do, and leaves a trace of the signals that the program ignores: one line
/// `JOB ATTEMPT PID MASK`, with the kernel's mask in hexadecimal digits.
struct Child: JobHandler {
  static let kind: JobKind = "child"

  func run(context: JobContext<Noop.Payload>) async throws -> NoResult {
    try Effect.append("\(context.id) \(context.attempt) \(getpid()) \(try Child.ignoredSignals())\n")
    return NoResult()
  }

  private static func ignoredSignals() throws -> String {
    let (child, output) = (Process(), Pipe())
    child.executableURL = URL(filePath: "/bin/sh")
    child.arguments = ["-c", "sed -n 's/^SigIgn:[^0-9a-f]*//p' /proc/self/status"]
    child.standardOutput = output
    try child.run()
    let mask = try output.fileHandleForReading.readToEnd() ?? Data()
    child.waitUntilExit()
    return String(decoding: mask, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
