import Foundation
import Synchronization

/// Ends the processes under test when the test process ends without having ended them itself, by a crash or by kill -9:
/// a shell that keeps their ids and kills them at the end of its standard input.
final class ProcessReaper: Sendable {
  private static let started = Result { try ProcessReaper() }

  /// - Throws: what the system says when it cannot be started.
  static var shared: ProcessReaper {
    get throws { try started.get() }
  }

  private static let script = """
    trap '' INT TERM HUP
    declare -A pids
    while read -r what pid; do
      if [[ $what == + ]]; then pids[$pid]=1; else unset "pids[$pid]"; fi
    done
    for pid in "${!pids[@]}"; do kill -KILL "$pid" 2>/dev/null; done
    """

  private let input: ProcessInput

  private init() throws {
    input = try ProcessInput()
    let null = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
    let descriptors = [input.childEnd.fileDescriptor, null.fileDescriptor, null.fileDescriptor]
    _ = try Spawning.turn.withLock { _ in
      try Spawning.spawn(
        "/bin/bash", arguments: ["-c", Self.script], environment: [:], workingDirectory: nil, descriptors: descriptors)
    }
    try input.childEnd.close()
  }

  func add(_ pid: pid_t) { try? input.write(Array("+ \(pid)\n".utf8)) }

  func remove(_ pid: pid_t) { try? input.write(Array("- \(pid)\n".utf8)) }
}
