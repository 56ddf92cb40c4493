import Foundation
import SystemSupport
import TestSupport

/// The command lines of some programs in a block of shell code.
enum ShellCommands {
  /// The commands of these programs that the shell would run, each with its name first; nothing else of the block is run.
  static func found(
    in block: CodeBlock, of programs: [String] = ["teller", "bank"]
  ) async throws -> [[String]] {
    let folder = try TemporaryFolder()
    let record = folder.appending("commands")
    let recorders = programs.map { "\($0)() { record \($0) \"$@\"; }\n" }.joined()
    let script = prelude + recorders + block.lines.map(Placeholders.filled).joined(separator: "\n") + "\n"
    let shell = try RunningProcess.launch(
      URL(filePath: "/bin/bash"), arguments: ["-c", script],
      environment: ["RECORD": record.path, "PATH": folder.url.path], workingDirectory: folder.url)
    _ = try await shell.waitForExit(within: TellerSystem.limit)
    let text = (try? String(contentsOf: record, encoding: .utf8)) ?? ""
    return text.split(separator: "\u{1E}").map { command in
      command.split(separator: "\u{1F}", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Functions in the place of what leads to a program. There is nothing in the search path, so no other command of a block runs.
  private static let prelude = """
    record() { local IFS=$'\\x1f'; printf '%s\\x1e' "$*" >>"$RECORD"; }
    sudo() { shift 2; "$@"; }
    docker() {
      case "$1 $2" in
      'compose run')
        shift 2
        while (($#)) && [[ $1 == --* ]]; do shift; done
        case $1 in
        producer | operator) [[ $2 == bank ]] && "${@:2}" || teller "${@:2}" ;;
        esac
        ;;
      esac
    }
    command_not_found_handle() { :; }
    exec() { :; }

    """
}

/// The words in capitals that stand for something in a command line.
enum Placeholders {
  /// The id in the place of every job: nobody knows such a job.
  static let job = "0197f3a0-5c1e-7d2a-9b64-3f1f0d6c2a11"

  private static let values: [String: String] = [
    "JOB": job, "JOB1": job, "JOB2": job, "PLAN": job, "ID": job, "N": "1", "NUMBER": "1", "SEQ": "1",
    "DURATION": "90s", "MOMENT": "2027-03-01T08:00:00Z", "ADDRESS": "127.0.0.1:8081", "T": "2h", "TELLERS": "2",
    "PRIORITY": "7", "JSON": "{}", "CODE": "timeout",
  ]

  static func filled(_ line: String) -> String {
    line.replacing(/(^|[ "'(])([A-Z][A-Z0-9]*)…?(?=$|[ ;|)"'&])/) { match in
      match.1 + (values[String(match.2)].map { Substring($0) } ?? match.2)
    }
  }
}
