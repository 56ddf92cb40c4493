import Foundation
import SystemSupport
import TestSupport
import Testing

/// The system has no thread for a process: without these words its tasks would wait for ever, or a library would end it.
@Suite("A process for which the system has too few threads")
struct ThreadLimitTests {
  /// The limit of threads is one of a user, and none of root's.
  private static let nobody = "/usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups"

  @Test(
    "ends at once, with one line that says so",
    .enabled(if: getuid() == 0, "only root can take another user"),
    arguments: [
      ["submit", "noop", "--within", "5s"], ["status"], ["coordinator", "--health", "127.0.0.1:0"],
      ["page", "--listen", "127.0.0.1:0"], ["webhooks", "--health", "127.0.0.1:0"], ["doctor"], ["watch"],
    ])
  func ends(arguments: [String]) async throws {
    let program = try BuiltProducts.url("teller").path
    let limited = "\(Self.nobody) /usr/bin/prlimit --nproc=1:1 /proc/self/fd/3"
    let process = try RunningProcess.launch(
      URL(filePath: "/bin/bash"),
      // What was built lies where nobody else may look, so it is opened first.
      arguments: ["-c", #"exec 3<"$1"; shift; exec \#(limited) "$@""#, "bash", program] + arguments)
    #expect(try await process.waitForExit(within: TellerSystem.limit) == 71)
    let errors = process.text(of: .standardError).filter { !$0.isEmpty }
    #expect(errors.count == 1 && errors[0].contains("too few threads: ") && errors[0].contains("pids.max"), "\(errors)")
  }
}
