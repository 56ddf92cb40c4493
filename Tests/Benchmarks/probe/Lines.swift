import Dispatch
import Foundation

/// The machine's monotonic clock, in nanoseconds.
var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

/// A line of JSON, at once: whoever reads it waits for it.
func printLine(_ members: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys]
  var line = try encoder.encode(members)
  line.append(UInt8(ascii: "\n"))
  try FileHandle.standardOutput.write(contentsOf: line)
}

/// When something began and ended.
struct Span: Encodable {
  var begin: UInt64
  var end: UInt64
}

/// What this process has used until now: CPU seconds, and the most memory that was resident.
struct Usage: Encodable {
  var cpuSeconds: Double
  /// In 1,024 bytes; 0 where the kernel does not tell.
  var peakKilobytes: Int

  enum CodingKeys: String, CodingKey {
    case cpuSeconds = "cpu_seconds"
    case peakKilobytes = "peak_kb"
  }

  static var now: Usage {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Usage(cpuSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, peakKilobytes: peak)
  }

  /// Not by getrusage: that begins with the peak of whoever started this process.
  private static var peak: Int {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
