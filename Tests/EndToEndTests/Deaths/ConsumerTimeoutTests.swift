import Foundation
import SystemSupport
import TestSupport
import Testing

/// On a broker that takes a consumer for dead whose message is open for five seconds, instead of thirty minutes.
@Suite("A job that runs longer than the broker's consumer timeout", .serialized)
struct ConsumerTimeoutTests {
  /// Of this suite.
  private static let broker = Task {
    let broker = try await BrokerNode.start()
    // In milliseconds, both, and of channels that are opened from now on. The broker looks at each tick of a channel,
    // by default once a minute.
    _ = try await broker.ctl("eval", "application:set_env(rabbit, consumer_timeout, 5000).")
    _ = try await broker.ctl("eval", "application:set_env(rabbit, channel_tick_interval, 1000).")
    return broker
  }
  /// Three timeouts.
  private static let long = #"{"kind": "effect", "payload": {"ms": 15000, "tells_end": true}}"#
  /// From here on the broker has no such timeout for classic queues.
  private static let withoutTimeout = "4.3"

  @Test("runs once when it was adopted, and the worker's other jobs go on undisturbed")
  func adopted() async throws {
    let system = try await system()
    let coordinator = try await system.startCoordinator()
    let worker = try await startWorker(system, adoptingAfter: 1)
    let long = try await system.submit(1, ConsumerTimeoutTests.long)
    try await eventually("the long job runs", within: TellerSystem.limit) { system.effects.count == 1 }
    let others = try await system.submit(120, #"{"kind": "effect", "payload": {"ms": 300}}"#)
    try await system.expectOneOutcomeEach(long + others)
    #expect(system.effects.map(\.job).sorted() == (long + others).sorted())
    for process in [coordinator, worker] {
      // On a busy machine a heartbeat may be late.
      let lost = process.text(of: .standardError).filter { $0.contains("broker lost") && !$0.contains("heartbeat") }
      #expect(lost.isEmpty, "\(lost)")
    }
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("runs once, too, when nobody adopts it: the worker takes its own redelivery for what it is")
  func notAdopted() async throws {
    let system = try await system()
    let coordinator = try await system.startCoordinator()
    let worker = try await startWorker(system, adoptingAfter: 3_600)
    let long = try await system.submit(1, ConsumerTimeoutTests.long)
    try await eventually("the long job runs", within: TellerSystem.limit) { system.effects.count == 1 }
    let others = try await system.submit(60, #"{"kind": "effect", "payload": {"ms": 300}}"#)
    try await system.expectOneOutcomeEach(long + others)
    #expect(system.effects.map(\.job).sorted() == (long + others).sorted())
    let lost = worker.text(of: .standardError).count { $0.contains("broker lost") }
    let version = try await ConsumerTimeoutTests.broker.value.ctl("version")
    let hasTimeout = version.compare(ConsumerTimeoutTests.withoutTimeout, options: .numeric) == .orderedAscending
    print(
      "consumer timeout, RabbitMQ \(version), nothing adopted: the broker closed the worker's channel \(lost) times")
    #expect(lost > 0 || !hasTimeout)
    for process in [worker, coordinator] { try await process.close() }
  }

  @Test("is run again after the lease when its worker dies, though its message is gone and the coordinator died too")
  func workerDies() async throws {
    let system = try await system(lease: TellerSystem.leaseOfTheDead)
    let first = try await system.startCoordinator()
    let doomed = try await startWorker(system, adoptingAfter: 1)
    let job = try await system.submit(1, #"{"kind": "gate"}"#)[0]
    try await eventually("the job runs", within: TellerSystem.limit) { system.effects.count == 1 }
    try await eventually("the job is adopted: the broker has no message of it", within: TellerSystem.limit) {
      try await messages(system) == 0
    }
    for process in [doomed, first] {
      process.signal(SIGKILL)
      try await process.waitForExit(within: TellerSystem.limit)
    }
    let coordinator = try await system.startCoordinator()
    let worker = try await startWorker(system, adoptingAfter: 1)
    try await eventually("the job runs again", within: TellerSystem.longLimit, lastState: { system.logs }) {
      system.effects.count == 2
    }
    try system.openGate()
    try await system.expectOneOutcomeEach([job])
    // The second coordinator cannot know what else had run there: no attempt was used up.
    #expect(system.effects.filter { $0.job == job }.map(\.attempt) == [1, 1])
    #expect(system.effects.filter { $0.job == job }.map(\.pid) == [doomed.pid, worker.pid])
    for process in [worker, coordinator] { try await process.close() }
  }

  private func system(lease: String = TellerSystem.lease) async throws -> TellerSystem {
    try TellerSystem(brokerURL: try await ConsumerTimeoutTests.broker.value.makeVirtualHost(), lease: lease)
  }

  private func startWorker(_ system: TellerSystem, adoptingAfter seconds: Int) async throws -> RunningProcess {
    let worker = try system.launch("testbench", ["--department", "work=4", "--adopt-after", "\(seconds)"])
    try await worker.waitForLine(containing: "ready", within: TellerSystem.limit)
    return worker
  }

  /// How many the department's queue has, those that a worker has open too.
  private func messages(_ system: TellerSystem) async throws -> Int? {
    try await ConsumerTimeoutTests.broker.value.queues(of: system.brokerURL)["teller.department.work"]?.messages
  }
}
