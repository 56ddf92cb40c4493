import Foundation

/// Ends the processes under test when the test process ends without having ended them itself, by a crash or by kill -9:
/// a shell that keeps their ids and kills them at the end of its standard input.
final class ProcessReaper: Sendable {
  /// None when it cannot be started: the tests run without it.
  static let shared = try? ProcessReaper()

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
    let output = FileHandle.nullDevice.fileDescriptor
    _ = try Spawning.spawn(
      "/bin/bash", arguments: ["-c", Self.script], environment: [:], workingDirectory: nil,
      descriptors: [input.childEnd.fileDescriptor, output, output])
    try input.childEnd.close()
  }

  func add(_ pid: pid_t) { try? input.write(Array("+ \(pid)\n".utf8)) }

  func remove(_ pid: pid_t) { try? input.write(Array("- \(pid)\n".utf8)) }
}
