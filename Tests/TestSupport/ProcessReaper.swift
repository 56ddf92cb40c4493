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
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", Self.script]
    process.standardInput = input.childEnd
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    input.closeChildEnd()
  }

  func add(_ pid: pid_t) { try? input.write(Array("+ \(pid)\n".utf8)) }

  func remove(_ pid: pid_t) { try? input.write(Array("- \(pid)\n".utf8)) }
}
