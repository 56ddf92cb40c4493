import Foundation
import SystemSupport
import TestSupport
import Testing

/// The system has no thread for a process: without these words its tasks would wait for ever, or a library would end it.
@Suite("A process for which the system has too few threads")
struct ThreadLimitTests {
  @Test(
    "ends at once, with one line that says so",
    .enabled("no other user can run what was built", OtherUser.isPossible),
    arguments: [
      ["submit", "noop", "--within", "5s"], ["status"], ["coordinator", "--health", "127.0.0.1:0"],
      ["page", "--listen", "127.0.0.1:0"], ["webhooks", "--health", "127.0.0.1:0"], ["doctor"], ["watch"],
    ])
  func ends(arguments: [String]) async throws {
    let whole = OtherUser.limited(by: "--nproc=1:1") + [try BuiltProducts.url("teller").path] + arguments
    let process = try RunningProcess.launch(URL(filePath: whole[0]), arguments: Array(whole.dropFirst()))
    #expect(try await process.waitForExit(within: TellerSystem.limit) == 71)
    let errors = process.text(of: .standardError).filter { !$0.isEmpty }
    #expect(errors.count == 1 && errors[0].contains("too few threads: ") && errors[0].contains("pids.max"), "\(errors)")
  }
}
