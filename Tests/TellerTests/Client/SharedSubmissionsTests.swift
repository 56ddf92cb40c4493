import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

@testable import Teller

@Suite("Submissions of many tasks", .timeLimit(.minutes(5)))
struct SharedSubmissionsTests {
  private static let tasks = 500

  @Test("what many tasks submit at one time shares messages: far fewer than jobs, and each job once")
  func share() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    // The line to submit on is open from now on.
    let first = try await client.submit(Deposit.self, .init(cents: 0)).id
    let watch = try await Connection.patient(to: coordinator.url, name: "watch")
    _ = try await watch.declare(QueueDeclaration("copies", arguments: QueueArguments(type: .classic)))
    try await watch.bind(queue: "copies", exchange: Topology.Exchange.submit, routingKey: "")
    let ids = try await withThrowingTaskGroup(of: JobID.self) { group in
      for cents in 1...Self.tasks { group.addTask { try await client.submit(Deposit.self, .init(cents: cents)).id } }
      return try await group.reduce(into: Set<JobID>()) { $0.insert($1) }
    }
    var received: [JobID] = []
    while received.count <= Self.tasks { received.append(try await coordinator.nextJob().id) }
    #expect(received.first == first && Set(received.dropFirst()) == ids && ids.count == Self.tasks)
    #expect(try await watch.state(of: "copies").messageCount < Self.tasks / 2)
    #expect(client.core.room.used == .zero)
    await watch.close()
    await client.close()
    await coordinator.close()
  }

  @Test("when the connection ends, each task tries by itself, and each job arrives")
  func refused() async throws {
    let scene = try await BadLineScene()
    scene.line.weather = .blackHole
    let submitting = scene.submit(50)
    try await scene.expectGathered(atLeast: 1)
    scene.line.reset()
    scene.line.weather = .clear
    let ids = try await limited("all submissions") { try await submitting.ids() }
    var received: Set<JobID> = []
    while !received.isSuperset(of: ids) { received.insert(try await scene.coordinator.nextJob().id) }
    #expect(Set(ids).count == 50 && scene.client.core.room.used == .zero)
    await scene.close()
  }

  @Test("of tasks that are cancelled, what was not sent is not sent any more, and the others' jobs arrive")
  func cancelled() async throws {
    let scene = try await BadLineScene()
    scene.line.weather = .blackHole
    // Up to a thousand leave together, so one is on its way before the others come.
    var kept = scene.submit(1)
    try await scene.expectUnderWay()
    kept += scene.submit(100)
    let dropped = scene.submit(100)
    try await scene.expectGathered(atLeast: 200)
    for task in dropped { task.cancel() }
    for task in dropped { await #expect(throws: CancellationError.self) { try await task.value } }
    scene.line.weather = .clear
    let submitting = kept
    let ids = try await limited("the others") { try await submitting.ids() }
    let last = try await scene.client.submit(Deposit.self, .init(cents: 0)).id
    var received: [JobID] = []
    while received.last != last { received.append(try await scene.coordinator.nextJob().id) }
    #expect(Set(received) == Set(ids + [last]) && received.count == ids.count + 1)
    #expect(scene.client.core.room.used == .zero && scene.client.core.openSubmissions.count == 0)
    await scene.close()
  }
}

/// A client that reaches the broker over a line that the test can hold back and cut.
private struct BadLineScene {
  let coordinator: CoordinatorPart
  let line: TCPProxy
  let client: TellerClient

  /// The line to submit on is open.
  init() async throws {
    coordinator = try await CoordinatorPart.start()
    var parts = try #require(URLComponents(string: coordinator.url))
    line = try TCPProxy(to: UInt16(try #require(parts.port)))
    parts.port = Int(line.port)
    client = try await TellerClient.connect(
      try TellerConfiguration(broker: try #require(parts.string)), timeouts: .quick)
    _ = try await client.submit(Deposit.self, .init(cents: 0))
    _ = try await coordinator.nextJob()
  }

  func submit(_ count: Int) -> [Task<JobID, any Error>] {
    (0..<count).map { cents in Task { [client] in try await client.submit(Deposit.self, .init(cents: cents)).id } }
  }

  func expectUnderWay() async throws {
    let shared = client.core.sharedSubmissions
    try await eventually("a submission is on its way", within: patience) { shared.gathered == (0, true) }
  }

  func expectGathered(atLeast count: Int) async throws {
    let shared = client.core.sharedSubmissions
    try await eventually("\(count) submissions have gathered", within: patience, lastState: { "\(shared.gathered)" }) {
      shared.gathered.count >= count
    }
  }

  func close() async {
    await client.close()
    await coordinator.close()
    line.close()
  }
}

extension [Task<JobID, any Error>] {
  fileprivate func ids() async throws -> [JobID] {
    var ids: [JobID] = []
    for task in self { ids.append(try await task.value) }
    return ids
  }
}
