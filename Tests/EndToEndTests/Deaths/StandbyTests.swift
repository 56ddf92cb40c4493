import Foundation
import SystemSupport
import TestSupport
import Testing

/// One coordinator at a time: of a ledger, and on a broker.
@Suite("A second coordinator", .serialized)
struct StandbyTests {
  @Test("on the same ledger waits, says so, and goes on with everything when the first is killed")
  func sameLedger() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let first = try await HealthyProcess(coordinatorOf: system)
    try await first.becomes(ready: true)
    let worker = try await system.startWorker("work=4")
    let running = try await system.submit(1, #"{"kind": "gate"}"#)
    try await eventually("the job runs", within: TellerSystem.limit) { system.effects.count == 1 }
    let second = try await HealthyProcess(coordinatorOf: system)
    try await second.process.waitForLine(
      containing: "standby: another coordinator has the ledger", within: TellerSystem.limit)
    try await second.becomes(ready: false, because: "standby", "consumers")
    let batch = try system.beginSubmitting(100, payload: #"{"ms": 20}"#)
    try await eventually("some jobs have run", within: TellerSystem.limit) { system.effects.count > 20 }
    let killed = ContinuousClock.now
    first.process.signal(SIGKILL)
    try await second.becomes(ready: true)
    try await system.servesAgain("standby took over", since: killed)
    try system.openGate()
    #expect(try await batch.ended.status == 0, "\(system.logs)")
    try await system.expectOneOutcomeEach(running + batch.ids)
    system.expectSecondRunsOnly(after: [])
    for process in [worker, second.process] { try await process.close() }
  }

  @Test("with a copy of the ledger takes over from one that vanishes without a word, which stands by when it is back")
  func vanishes() async throws {
    // A copy may be behind what was told: then it waits for a lease.
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let first = try await HealthyProcess(coordinatorOf: system)
    try await first.becomes(ready: true)
    let ledger = try await system.copyOfLedger()
    let worker = try await system.startWorker("work=4")
    let second = try await HealthyProcess(
      of: system, try system.launch("teller", ["coordinator", "--health", "127.0.0.1:0", "--ledger", ledger]))
    try await second.becomes(ready: false, because: "standby", "consumers")
    // Its connections stay open, and nothing more comes from it.
    try await first.process.freeze()
    let start = ContinuousClock.now
    try await second.becomes(ready: true)
    try await system.servesAgain("a frozen coordinator is replaced", since: start)
    first.process.thaw()
    try await first.becomes(ready: false, because: "standby", "consumers")
    try await second.becomes(ready: true)
    for process in [worker, second.process] { try await process.close() }
    try await first.becomes(ready: true)
    try await first.process.close()
  }
}
