import AMQP
import BrokerSupport
import JobModel
import JobTransport
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

  @Test("while the broker refuses what is shared, each task tries by itself, and each job arrives")
  func refused() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    _ = try await client.submit(Deposit.self, .init(cents: 0))
    let connection = try await client.connection(of: client.core.lines.submitting)
    let submitting = Task {
      try await withThrowingTaskGroup(of: JobID.self) { group in
        for cents in 1...50 { group.addTask { try await client.submit(Deposit.self, .init(cents: cents)).id } }
        return try await group.reduce(into: Set<JobID>()) { $0.insert($1) }
      }
    }
    // In the middle, or before, or after: the jobs arrive all the same.
    await connection.close()
    let ids = try await limited("all submissions") { try await submitting.value }
    var received: Set<JobID> = []
    while !received.isSuperset(of: ids) { received.insert(try await coordinator.nextJob().id) }
    #expect(ids.count == 50 && client.core.room.used == .zero)
    await client.close()
    await coordinator.close()
  }

  @Test("a task that is cancelled waits no longer, and the others go on")
  func cancelled() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    _ = try await client.submit(Deposit.self, .init(cents: 0))
    let tasks = (1...200).map { cents in Task { try await client.submit(Deposit.self, .init(cents: cents)).id } }
    for task in tasks.prefix(100) { task.cancel() }
    for task in tasks.prefix(100) {
      do { _ = try await task.value } catch { #expect(error is CancellationError) }
    }
    for task in tasks.suffix(100) { _ = try await limited("a submission") { try await task.value } }
    #expect(client.core.room.used == .zero && client.core.openSubmissions.count == 0)
    await client.close()
    await coordinator.close()
  }
}
