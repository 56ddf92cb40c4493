import Foundation
import SystemSupport
import TestSupport
import Testing

/// Real processes that are asked over HTTP whether they are ready, while what they need is taken from them.
@Suite("Health", .serialized)
struct HealthTests {
  /// Of this suite, for what harms a broker.
  private static let broker = Task { try await BrokerNode.start() }

  @Test("a worker without a coordinator is not ready; with one both are, each for its own reasons")
  func start() async throws {
    let system = try await TellerSystem.onSharedBroker()
    // A coordinator has been here before, so that the worker finds all it needs but a welcome.
    try await system.startCoordinator().close()
    let worker = try await HealthyProcess(workerOf: system)
    try await worker.becomes(ready: false, because: "coordinator", "consumers")
    let coordinator = try await HealthyProcess(coordinatorOf: system)
    try await coordinator.becomes(ready: true)
    try await worker.becomes(ready: true)
    var human = TellerSystem.Ended?.none
    try await eventually("both answer in time", within: TellerSystem.longLimit) {
      human = try await system.teller("health", worker.address, coordinator.address)
      return human?.status == 0
    }
    #expect(human?.lines == ["\(worker.address)  ready", "\(coordinator.address)  ready"])
    // A worker goes on while the coordinator is away.
    try await coordinator.process.close()
    let (answer, status) = try await coordinator.ask()
    #expect(status == 3)
    #expect(answer["error"] as? String == "connection refused")
    try await worker.becomes(ready: true)
    try await worker.process.close()
  }

  @Test("an address that is taken ends the coordinator with what to do")
  func taken() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await HealthyProcess(coordinatorOf: system)
    let second = try await system.run("teller", ["coordinator", "--health", coordinator.address])
    #expect(second.status == 78, "\(second.errors)")
    #expect(second.errors.last?.contains("health cannot be told at \(coordinator.address)") == true)
    try await coordinator.process.close()
  }

  @Test("without its broker nobody is ready, everybody lives, and with it everybody is ready again, unaided")
  func brokerKilled() async throws {
    let broker = try await Self.broker.value
    let system = try TellerSystem(brokerURL: try await broker.makeVirtualHost())
    let (coordinator, worker) = try await ready(system)
    try await broker.writeDown()
    try await broker.kill()
    for process in [coordinator, worker] {
      try await process.becomes(ready: false, because: "broker")
      #expect(process.process.exitStatus == nil)
    }
    try await broker.start()
    for process in [coordinator, worker] { try await process.becomes(ready: true) }
    for process in [worker, coordinator] { try await process.process.close() }
  }

  @Test("a coordinator whose connection and consumers are fine, and to which nothing comes through, is not ready")
  func deafToOneQueue() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let (coordinator, worker) = try await ready(system)
    let line = coordinator.process.nextLineNumber
    let unbound = try system.launchClient("binding.py", ["teller.presence", "teller.presence", "teller.presence"])
    try await unbound.waitForLine(containing: "unbound", within: TellerSystem.limit)
    try await coordinator.becomes(ready: false, because: "consumers")
    unbound.closeInput()
    try await coordinator.becomes(ready: true)
    // It was one session all the time, as long as the machine was not too busy for heartbeats: nothing but its own
    // message told it.
    let lost = coordinator.process.lines.dropFirst(line)
      .filter { $0.text.contains("broker lost") && !$0.text.contains("heartbeat") }
    #expect(lost.isEmpty, "\(lost)")
    for process in [worker, coordinator] { try await process.process.close() }
  }

  @Test("a process that is stopped does not answer, and is ready again when it goes on")
  func stopped() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let (coordinator, worker) = try await ready(system)
    try await coordinator.process.freeze()
    let (answer, status) = try await coordinator.ask()
    coordinator.process.thaw()
    #expect(status == 3)
    #expect((answer["error"] as? String)?.contains("does not answer") == true, "\(answer)")
    try await coordinator.becomes(ready: true)
    for process in [worker, coordinator] { try await process.process.close() }
  }

  @Test("a broker that is there and says nothing makes nobody ready: the deaf notice that they are")
  func deaf() async throws {
    let broker = try await Self.broker.value
    let system = try TellerSystem(brokerURL: try await broker.makeVirtualHost())
    let (coordinator, worker) = try await ready(system)
    try await broker.freeze()
    for process in [coordinator, worker] { try await process.becomes(ready: false, because: "consumers") }
    try await broker.thaw()
    for process in [coordinator, worker] { try await process.becomes(ready: true) }
    for process in [worker, coordinator] { try await process.process.close() }
  }

  @Test("a broker that is short of memory makes nobody ready, until it has some again")
  func alarm() async throws {
    let broker = try await Self.broker.value
    let system = try TellerSystem(brokerURL: try await broker.makeVirtualHost())
    let (coordinator, worker) = try await ready(system)
    try await broker.ctl("set_vm_memory_high_watermark", "0.0000001")
    for process in [coordinator, worker] { try await process.becomes(ready: false, because: "broker") }
    try await broker.ctl("set_vm_memory_high_watermark", "0.4")
    for process in [coordinator, worker] { try await process.becomes(ready: true) }
    for process in [worker, coordinator] { try await process.process.close() }
  }

  @Test("a coordinator whose ledger somebody else has locked is not ready, though nobody submits anything")
  func ledgerLocked() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let (coordinator, worker) = try await ready(system)
    let lock = try system.launchClient("lock.py", [system.folder.appending("teller.ledger").path])
    try await lock.waitForLine(containing: "locked", within: TellerSystem.limit)
    try await coordinator.becomes(ready: false, because: "ledger")
    try await worker.becomes(ready: true)
    lock.closeInput()
    try await coordinator.becomes(ready: true)
    for process in [worker, coordinator] { try await process.process.close() }
  }

  @Test("a second coordinator on a broker stands by, and says so")
  func standby() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let first = try await HealthyProcess(coordinatorOf: system)
    try await first.becomes(ready: true)
    let ledger = try await system.copyOfLedger()
    let second = try await HealthyProcess(
      of: system, try system.launch("teller", ["coordinator", "--health", "127.0.0.1:0", "--ledger", ledger]))
    try await second.becomes(ready: false, because: "standby", "consumers")
    try await first.process.close()
    try await second.becomes(ready: true)
    try await second.process.close()
  }

  @Test("a worker whose tellers of a department all hang is not ready, and whoever waits behind them is told so")
  func stuck() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let coordinator = try await HealthyProcess(coordinatorOf: system)
    try await coordinator.process.waitForLine(containing: "serving", within: TellerSystem.limit)
    let options = ["--department", "work=2", "--department", "other=1", "--grace", "0.2", "--health", "127.0.0.1:0"]
    let worker = try await HealthyProcess(of: system, system.launch("testbench", options))
    try await worker.becomes(ready: true)
    let one = try await system.submitOne("hang", "--timeout", "200ms")
    try await system.expectHolds("stuck", of: one)
    try await worker.becomes(ready: true)
    let cancelled = try await system.submitOne("hang")
    try await system.expectHolds("running", of: cancelled)
    #expect(try await system.ask("cancel", cancelled).status == 0)
    try await worker.becomes(ready: false, because: "tellers")
    try await coordinator.becomes(ready: true)
    let waiting = try await system.submitOne("noop")
    let reasons = try await system.expectHolds("stuck", of: waiting)
    #expect(reasons.contains { $0.contains("all 2 tellers for department \"work\" are stuck") }, "\(reasons)")
    #expect(Set([one, cancelled]).allSatisfy { job in reasons.contains { $0.contains(job) } }, "\(reasons)")
    #expect(try await system.ask("status").lines.contains { $0.contains("2 of 2 tellers stuck") })
    let doctor = try await system.teller("doctor")
    #expect(doctor.status == 3)
    #expect(doctor.lines.contains { $0.contains("2 of the 2 tellers of work are stuck") }, "\(doctor.lines)")
    try system.openGate()
    try await worker.becomes(ready: true)
    #expect(try await system.outcomes(of: [waiting]) == [waiting: "succeeded"])
    for process in [worker, coordinator] { try await process.process.close() }
  }

  @Test("a worker that drains is not ready, and answers until it ends")
  func draining() async throws {
    let system = try await TellerSystem.onSharedBroker()
    let (coordinator, worker) = try await ready(system)
    let job = try await system.submit(1, #"{"kind": "gate"}"#)[0]
    try await eventually("the job runs", within: TellerSystem.limit) { system.effects.count == 1 }
    worker.process.signal(SIGTERM)
    try await worker.becomes(ready: false, because: "consumers")
    try system.openGate()
    #expect(try await worker.process.waitForExit(within: TellerSystem.limit) == 0)
    #expect(try await worker.ask().status == 3)
    #expect(try await system.outcomes(of: [job]) == [job: "succeeded"])
    try await coordinator.process.close()
  }

  private func ready(_ system: TellerSystem) async throws -> (coordinator: HealthyProcess, worker: HealthyProcess) {
    let coordinator = try await HealthyProcess(coordinatorOf: system)
    try await coordinator.process.waitForLine(containing: "serving", within: TellerSystem.limit)
    let worker = try await HealthyProcess(workerOf: system)
    for process in [coordinator, worker] { try await process.becomes(ready: true) }
    return (coordinator, worker)
  }
}

/// A process that tells its health, on a port of its own.
struct HealthyProcess {
  let system: TellerSystem
  let process: RunningProcess
  let address: String

  init(coordinatorOf system: TellerSystem) async throws {
    try await self.init(of: system, system.launch("teller", ["coordinator", "--health", "127.0.0.1:0"]))
  }

  init(workerOf system: TellerSystem) async throws {
    try await self.init(
      of: system,
      system.launch("testbench", ["--department", "work=2", "--department", "other=1"] + ["--health", "127.0.0.1:0"]))
  }

  init(of system: TellerSystem, _ process: RunningProcess) async throws {
    let line = try await process.waitForLine(containing: "health at http://", within: TellerSystem.limit)
    self.system = system
    self.process = process
    address = try #require(line.components(separatedBy: "http://").last)
  }

  /// What `teller health --json` says of it.
  func ask() async throws -> (answer: [String: any Sendable], status: Int32) {
    let ended = try await system.teller("health", "--json", address)
    return (try #require(ended.objects.first, "\(ended.errors)"), ended.status)
  }

  /// Waits until it is ready, or is not; the checks that are named have to fail then, among others perhaps. It has to
  /// answer every time, for it lives; on a busy machine an answer may be too late.
  func becomes(ready: Bool, because checks: String...) async throws {
    var last = "not asked"
    let reason = checks.isEmpty ? "" : " because of \(checks.joined(separator: ", "))"
    try await eventually(
      "\(address) is \(ready ? "" : "not ")ready\(reason)", within: TellerSystem.longLimit,
      lastState: { "\(last)\n\(system.logs)" }
    ) {
      let (answer, status) = try await ask()
      last = "\(answer)"
      let late = ["does not answer", "without an answer"]
      if let error = answer["error"] as? String, late.contains(where: error.contains) { return false }
      #expect(answer["error"] == nil, "it did not answer: \(answer)")
      #expect((status == 0) == (answer["ready"] as? Bool))
      let found = answer["checks"] as? [[String: any Sendable]] ?? []
      let failed = found.filter { $0["ok"] as? Bool == false }.compactMap { $0["name"] as? String }
      return (status == 0) == ready && Set(failed).isSuperset(of: checks)
    }
  }
}
