import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("A coordinator that cannot write its ledger", .serialized)
struct LedgerTroubleTests {
  @Test("lets everything go, accepts nothing meanwhile, and serves again unaided")
  func locked() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let before = try await system.submit(20, #"{"kind": "effect", "payload": {}}"#)
    let lock = try system.launchClient("lock.py", [system.folder.appending("teller.ledger").path])
    try await lock.waitForLine(containing: "locked", within: TellerSystem.limit)
    let line = coordinator.nextLineNumber
    let batch = try system.beginSubmitting(20, payload: "{}")
    try await coordinator.waitForLine(
      containing: "nothing can be recorded", since: line, within: TellerSystem.limit)
    lock.closeInput()
    let unlocked = ContinuousClock.now
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.expectOneOutcomeEach(before + batch.ids)
    system.expectSecondRunsOnly(after: [])
    try await system.servesAgain("ledger locked, since it is free", since: unlocked)
    #expect(coordinator.exitStatus == nil)
    for process in [worker, coordinator] { try await process.close() }
  }

  /// SQLite would go on with the file that no path names any more, and all that is accepted would be gone at the next start.
  @Test("accepts nothing while its file is elsewhere, says how to rescue it, and serves again when the file is back")
  func moved() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let before = try await system.submit(5, #"{"kind": "effect", "payload": {}}"#)
    try await system.expectOneOutcomeEach(before)
    let elsewhere = system.folder.appending("elsewhere")
    try FileManager.default.moveItem(at: system.ledger, to: elsewhere)
    let line = coordinator.nextLineNumber
    let batch = try system.beginSubmitting(5, payload: "{}")
    let told = try await coordinator.waitForLine(
      containing: "nothing can be recorded", since: line, within: TellerSystem.limit)
    #expect(told.contains("/proc/\(coordinator.pid)/fd"), "\(told)")
    #expect(coordinator.exitStatus == nil)
    try FileManager.default.moveItem(at: elsewhere, to: system.ledger)
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.expectOneOutcomeEach(before + batch.ids)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("a first start that has too little room, whatever it is, leaves a file with which the next start begins")
  func firstStart() async throws {
    for pages in [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256] {
      // Each has a virtual host of its own: that of another ledger is refused.
      let system = try await TellerSystem.onSharedBroker()
      let limit = "--fsize=\(pages * 4_096):\(pages * 4_096)"
      let process = try system.launch("teller", ["coordinator"], by: ["/usr/bin/prlimit", limit])
      if (try? await process.waitForLine(containing: " serving", within: TellerSystem.limit)) != nil {
        #expect(pages > 16, "it has room for a ledger")
        return try await process.close()
      }
      #expect(try await process.waitForExit(within: TellerSystem.limit) == 74, "\(limit)")
      #expect(process.text(of: .standardError).count == 1, "\(limit): \(process.text(of: .standardError))")
      let next = try await system.startCoordinator()
      try await next.close()
    }
    Issue.record("it never serves")
  }
}
