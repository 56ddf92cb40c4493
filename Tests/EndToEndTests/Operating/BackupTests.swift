import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A copy of the ledger of a coordinator that runs")
struct BackupTests {
  private static let line = #"{"kind": "effect", "payload": {}}"#

  @Test("has all that was accepted before, holds nobody up, and a coordinator on it serves on")
  func restored() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=4")
    let before = try await system.submit(100, BackupTests.line)
    let batch = try system.beginSubmitting(1_000, payload: "{}")
    let copy = system.folder.appending("copy").path
    for _ in 0..<3 {
      let backup = try await system.teller("ledger", "backup", copy, "--force", "--json")
      #expect(backup.status == 0, "\(backup.errors)")
      #expect(try jobs(backup) >= before.count)
    }
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    // Accepted after the last copy, so in no copy: what is announced is ahead of it, however late it was made.
    let after = try await system.submit(1, BackupTests.line)
    _ = try await system.outcomes(of: before + batch.ids + after)
    for process in [worker, coordinator] { try await drain(process) }
    #expect(coordinator.text(of: .standardError).contains { $0.contains("nothing can be recorded") } == false)

    let check = try await system.teller("ledger", "check", copy, "--json")
    #expect(check.status == 0, "\(check.errors)")
    #expect(try jobs(check) >= before.count)
    try await serveOn(copy, knowing: before, system)
  }

  /// As the page on deployment says: the old log must not lie beside the copy.
  private func serveOn(_ copy: String, knowing before: [String], _ system: TellerSystem) async throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: system.ledger.path + suffix)
    }
    try FileManager.default.moveItem(atPath: copy, toPath: system.ledger.path)
    let coordinator = try await system.startCoordinator()
    try await coordinator.waitForLine(containing: "a new epoch begins", within: TellerSystem.limit)
    let worker = try await system.startWorker("work=4")
    let new = try await system.submit(20, BackupTests.line)
    #expect(Set(try await system.outcomes(of: before + new).values) == ["succeeded"], "\(system.logs)")
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("moves to another place: what had not ended is served there")
  func moved() async throws {
    let system = try await TellerSystem.onSharedBroker()
    try await drain(try await system.startCoordinator())
    let first = try await system.startCoordinator()
    let waiting = try await system.submit(20, BackupTests.line)
    try await drain(first)
    let moved = system.folder.appending("moved").path
    #expect(try await system.teller("ledger", "backup", moved).status == 0)
    let coordinator = try await system.startCoordinator(environment: ["TELLER_LEDGER": moved])
    let worker = try await system.startWorker("work=4")
    #expect(Set(try await system.outcomes(of: waiting).values) == ["succeeded"], "\(system.logs)")
    system.expectSecondRunsOnly(after: [])
    #expect(try await system.ask("status", "--json").objects.first?["epoch"] as? Int == 1)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("fails with one line, and leaves nothing: no room, no ledger, a file that is there")
  func failures() async throws {
    let system = try await TellerSystem.onSharedBroker()
    try await drain(try await system.startCoordinator())
    let copy = system.folder.appending("copy").path
    // A disk that takes so much and no more, as far as a limit is one.
    let teller = try BuiltProducts.url("teller").path
    let small = try system.launch(
      URL(filePath: "/bin/bash"), named: "a small disk",
      ["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" ledger backup \"$1\"", teller, copy])
    #expect(try await small.waitForExit(within: TellerSystem.limit) == 74)
    #expect(small.text(of: .standardError).count == 1)
    let none = try await system.teller("ledger", "backup", copy, "--ledger", system.folder.appending("none").path)
    #expect(none.status == 74)
    #expect(none.errors.count == 1 && none.errors[0].contains("there is no ledger"), "\(none.errors)")
    try Data("precious".utf8).write(to: URL(filePath: copy))
    let there = try await system.teller("ledger", "backup", copy)
    #expect(there.status == 2)
    #expect(there.errors.count == 1 && there.errors[0].contains("--force"), "\(there.errors)")
    #expect(try String(contentsOfFile: copy, encoding: .utf8) == "precious")
    let names = try FileManager.default.contentsOfDirectory(atPath: system.folder.url.path)
    #expect(names.contains { $0.contains("partial") } == false)
  }

  private func jobs(_ answer: TellerSystem.Ended) throws -> Int {
    try #require(answer.objects.first?["jobs"] as? [String: Int]).values.reduce(0, +)
  }

  private func drain(_ process: RunningProcess) async throws {
    process.signal(SIGTERM)
    #expect(try await process.waitForExit(within: TellerSystem.limit) == 0)
  }
}
