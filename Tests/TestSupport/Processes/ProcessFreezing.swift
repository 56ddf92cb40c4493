import Foundation

/// SIGSTOP as tests need it.
extension RunningProcess {
  /// Stops the process in the middle of what it does, and returns when that is so: the signal reaches one thread first,
  /// and until it is scheduled the others go on.
  /// - Throws: `TimeLimitExceeded` when a thread goes on; `ProcessEnded` when the process has ended.
  package func freeze(within limit: Duration = patience) async throws {
    signal(SIGSTOP)
    try await eventually("every thread of \(record.name) (\(pid)) is stopped", within: limit) {
      if let exitStatus { throw ProcessEnded(process: record.name, status: exitStatus, output: record.tail) }
      return allThreadsAreStopped
    }
  }

  /// Lets it go on after `freeze`.
  package func thaw() { signal(SIGCONT) }

  private var allThreadsAreStopped: Bool {
    let folder = "/proc/\(pid)/task"
    guard let threads = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return false }
    return threads.allSatisfy { thread in
      // One may end while the folder is being read.
      guard let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8) else { return true }
      return status.split(separator: "\n").contains { $0.hasPrefix("State:") && $0.contains("T (") }
    }
  }
}
