import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

/// Silences that are not a worker's own, each longer than a lease, and jobs that a lease finds.
@Suite("A lease", .serialized)
struct LeaseTests {
  /// Longer than the lease of these systems. It is waited out: that much time without a sound is what these tests are
  /// about, and there is no signal for it.
  private static let silence: Duration = .seconds(25)
  /// Of this suite, for what harms a broker.
  private static let broker = Task { try await BrokerNode.start() }

  /// A job that runs until the gate is opened.
  private func beginGated(_ system: TellerSystem) async throws -> String {
    let job = try await system.submit(1, #"{"kind": "gate"}"#)[0]
    try await eventually("the job runs", within: TellerSystem.limit) { system.effects.count == 1 }
    return job
  }

  private func expectOneRun(of job: String, _ system: TellerSystem, _ coordinator: RunningProcess) async throws {
    try system.openGate()
    try await system.expectOneOutcomeEach([job])
    #expect(system.effects.filter { $0.job == job }.count == 1)
    let takenBack = coordinator.text(of: .standardError).filter { $0.contains("silent for its lease") }
    #expect(takenBack.isEmpty, "\(takenBack)")
  }

  @Test("begins anew with the broker: a worker that nobody could hear keeps what it runs")
  func brokerAway() async throws {
    let broker = try await Self.broker.value
    let system = try TellerSystem(brokerURL: try await broker.makeVirtualHost(), lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let job = try await beginGated(system)
    try await broker.writeDown()
    try await broker.kill()
    try await Task.sleep(for: LeaseTests.silence)
    try await broker.start()
    try await system.servesAgain("broker away for longer than a lease", since: .now)
    try await expectOneRun(of: job, system, coordinator)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test(
    "does not run while an alarm of the broker keeps every worker silent, though the coordinator has nothing to say")
  func alarm() async throws {
    let broker = try await Self.broker.value
    let system = try TellerSystem(brokerURL: try await broker.makeVirtualHost(), lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let job = try await beginGated(system)
    try await broker.ctl("set_vm_memory_high_watermark", "0.0000001")
    try await coordinator.waitForLine(containing: "broker blocked", within: TellerSystem.limit)
    try await Task.sleep(for: LeaseTests.silence)
    try await broker.ctl("set_vm_memory_high_watermark", "0.4")
    try await system.servesAgain("an alarm for longer than a lease", since: .now)
    try await expectOneRun(of: job, system, coordinator)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("begins anew with the coordinator: a worker that it has not heard yet keeps what it runs")
  func coordinatorAway() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let doomed = try await system.startCoordinator()
    let worker = try await system.startWorker("work=2")
    let job = try await beginGated(system)
    doomed.signal(SIGKILL)
    try await doomed.waitForExit(within: TellerSystem.limit)
    try await Task.sleep(for: LeaseTests.silence)
    let coordinator = try await system.startCoordinator()
    try await system.servesAgain("coordinator away for longer than a lease", since: .now)
    try await expectOneRun(of: job, system, coordinator)
    for process in [worker, coordinator] { try await process.close() }
  }

  /// So many questions, one after the other over the slow line, take longer than the coordinator may stand still.
  private static let queues = 40

  @Test("passes although the broker is long in saying what is in many queues: a dead worker is given up")
  func manyQueues() async throws {
    let names = (1...Self.queues).map { "waiting\($0)" }
    let system = try await TellerSystem.onSharedBroker(
      lease: TellerSystem.leaseOfTheDead, departments: (["work"] + names).map { "\($0): {}" }.joined(separator: ", "))
    var address = try #require(URLComponents(string: system.brokerURL))
    let line = try TCPProxy(to: UInt16(try #require(address.port)))
    address.port = Int(line.port)
    let coordinator = try await system.startCoordinator(
      environment: ["TELLER_BROKER_URL": try #require(address.string)])
    let worker = try await system.startWorker("work=2")
    _ = try await beginGated(system)
    let waiting = names.map { #"{"kind": "noop", "department": "\#($0)"}"# + "\n" }.joined()
    let batch = system.folder.appending("waiting").path
    try Data(waiting.utf8).write(to: URL(filePath: batch))
    let submitted = try await system.run("teller", ["submit", "--batch", batch, "--json"])
    #expect(submitted.objects.count { $0["event"] as? String == "accepted" } == names.count)
    line.weather = .delay(.milliseconds(100))
    worker.signal(SIGKILL)
    try await worker.waitForExit(within: TellerSystem.limit)
    try await coordinator.waitForLine(containing: "silent for its lease", within: TellerSystem.longLimit)
    line.weather = .clear
    try await coordinator.close()
  }

  @Test("after which a department's empty queue is noticed: what somebody took is released again, and runs once")
  func taken() async throws {
    let system = try await TellerSystem.onSharedBroker(lease: TellerSystem.leaseOfTheDead)
    let coordinator = try await system.startCoordinator()
    let jobs = try await system.submit(10, #"{"kind": "effect", "payload": {}}"#)
    let connection = try await Connection.patient(to: system.brokerURL)
    let options = ConsumeOptions(prefetch: UInt16(jobs.count))
    let releases = try await connection.consume(Topology.Queue.department("work"), options: options)
    try await limited("every release to be taken", within: TellerSystem.limit) {
      for _ in jobs {
        let release = try #require(await releases.nextBatch(atMost: 1)?.first)
        try await connection.ack(release.deliveryTag)
      }
    }
    await connection.close()
    let worker = try await system.startWorker("work=2")
    try await system.expectOneOutcomeEach(jobs)
    #expect(system.effects.map(\.job).sorted() == jobs.sorted())
    try await coordinator.expectLost(jobs.count)
    for process in [worker, coordinator] { try await process.close() }
  }
}
