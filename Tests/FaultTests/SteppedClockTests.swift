import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A clock that a test sets")
struct SteppedClockTests {
  @Test(
    "a process that runs shows the time that its clock was set to",
    arguments: [Duration.zero, .seconds(-86_400), .seconds(120)])
  func tells(ahead: Duration) async throws {
    let folder = try TemporaryFolder()
    let clock = try await SteppedClock(in: folder.url, named: "test")
    // It reads its clock for each line.
    let process = try RunningProcess.launch(
      URL(filePath: "/usr/bin/env"), arguments: ["date", "+%s", "--file=-"], environment: clock.environment)
    try clock.set(ahead: ahead)
    try process.write("now\n")
    process.closeInput()
    _ = try await process.waitForExit(within: TellerSystem.limit)
    let shown = try #require(process.text(of: .standardOutput).first.flatMap(Double.init))
    let real = Date().timeIntervalSince1970
    #expect(abs(shown - real - ahead / .seconds(1)) < 60)
  }
}
