import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("The page about the first job", .serialized)
struct FirstJobTests {
  @Test("its program is the one that is compiled here")
  func sameText() throws {
    let page = try String(
      contentsOf: PackageFolder.url.appending(path: "Sources/Teller/Teller.docc/FirstJob.md"), encoding: .utf8)
    let example = try String(
      contentsOf: PackageFolder.url.appending(path: "Tests/FirstHandler/FirstHandler.swift"), encoding: .utf8)
    #expect(page.contains("```swift\n" + example + "```"))
  }

  @Test("its program serves its first job, submitted as written there")
  func runs() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "greet: {}, work: {}")
    let coordinator = try await system.startCoordinator()
    let worker = try system.launch("first-handler", [])
    try await worker.waitForLine(containing: "ready", within: TellerSystem.limit)
    let ended = try await system.teller("submit", "greet", "--payload", #"{"name": "Ada"}"#, "--wait")
    #expect(ended.status == 0)
    #expect(ended.lines.joined().contains("Good morning, Ada! (attempt 1)"))
    for process in [worker, coordinator] { try await process.close() }
  }
}
