import Foundation

/// What the kernel says of a process under test.
extension RunningProcess {
  /// The most memory it has had so far, in bytes.
  /// - Throws: when it has ended.
  package func peakMemory() throws -> Int { try memory("VmHWM:") }

  /// The memory that it has now, in bytes.
  /// - Throws: when it has ended.
  package func residentMemory() throws -> Int { try memory("VmRSS:") }

  /// What each of its open descriptors refers to: a path, or a name like `socket:[1234]`.
  /// - Throws: when it has ended.
  package func openDescriptors() throws -> [Int: String] {
    let folder = "/proc/\(pid)/fd"
    var descriptors: [Int: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      // One may close while the folder is being read.
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      if let target, let number = Int(name) { descriptors[number] = target }
    }
    return descriptors
  }

  private func memory(_ field: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    for line in status.split(separator: "\n") where line.hasPrefix(field) {
      let words = line.split(whereSeparator: \.isWhitespace)
      if words.count > 1, let kibibytes = Int(words[1]) { return kibibytes * 1024 }
    }
    throw ProcessEnded(process: record.name, status: exitStatus ?? -1, output: record.tail)
  }
}
