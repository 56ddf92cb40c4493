import Foundation
import SystemSupport
import TestSupport

/// How a test starts a built program as a user who owns nothing here: the limit of threads is one of a user, and none of
/// root's.
enum OtherUser {
  static let command = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

  /// The beginning of a command line that ends with a program and its arguments.
  ///
  /// What was built lies where nobody else may look, so it is opened first; and it may be its owner's alone.
  static func limited(by limit: String) -> [String] {
    let limited = (command + ["/usr/bin/prlimit", limit, "/proc/self/fd/3"]).joined(separator: " ")
    return ["/bin/bash", "-c", #"chmod a+rx "$1" && exec 3<"$1"; shift; exec \#(limited) "$@""#, "bash"]
  }

  /// Whether this machine lets a test do that: it needs root, and a folder from which another user may run a program.
  @Sendable
  static func isPossible() async throws -> Bool {
    guard getuid() == 0 else { return false }
    let whole = limited(by: "--nproc=400:400") + [try BuiltProducts.url("teller").path, "--help"]
    let process = try RunningProcess.launch(URL(filePath: whole[0]), arguments: Array(whole.dropFirst()))
    return try await process.waitForExit(within: TellerSystem.limit) == 0
  }
}
