import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

@testable import Teller

/// One broker of its own, whose `max_message_size` is far below what a client sends at most.
@Suite("A submission that the broker does not take", .timeLimit(.minutes(10)))
struct RefusedSubmissionTests {
  private static let limit = 40_000
  private static let node = Task { try await BrokerNode.start(settings: ["max_message_size = \(limit)"]) }

  private func start() async throws -> CoordinatorPart {
    try await CoordinatorPart.start(at: try await Self.node.value.makeVirtualHost())
  }

  private func job(_ size: Int) -> JobSubmission<JSONValue> {
    JobSubmission(kind: "deposit", payload: Array(repeating: 32, count: size))
  }

  @Test("ends its call at once, with the limit in the error, and the next one is taken")
  func alone() async throws {
    let coordinator = try await start()
    let client = try await coordinator.client()
    let error = await #expect(throws: TellerError.self) { try await client.submit(job(50_000)) }
    guard case .messageRefused(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("\(Self.limit)"))
    let small = try await client.submit(job(10))
    #expect(try await coordinator.nextJob().id == small.id)
    await client.close()
    await coordinator.close()
  }

  @Test("takes none of those beside it with it")
  func beside() async throws {
    let coordinator = try await start()
    let client = try await coordinator.client()
    let refused = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<60 {
        let job = job(number.isMultiple(of: 7) ? 45_000 + number : number * 400)
        group.addTask {
          do {
            _ = try await client.submit(job)
            return 0
          } catch TellerError.messageRefused {
            return 1
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(refused == 9)
    var seen: Set<JobID> = []
    while seen.count < 60 - refused { seen.insert(try await coordinator.nextJob().id) }
    await client.close()
    await coordinator.close()
  }

  @Test("of a batch is the first that is not submitted; a pack that is too large as a whole goes in parts")
  func batch() async throws {
    let coordinator = try await start()
    let client = try await coordinator.client()
    // Five of these are more than the broker takes at once.
    let small = (0..<30).map { _ in job(9_000) }
    #expect(try await client.submit(contentsOf: small).count == small.count)
    let mixed = small.prefix(3) + [job(41_000)] + small.suffix(3)
    let error = await #expect(throws: TellerError.self) { try await client.submit(contentsOf: Array(mixed)) }
    guard case .incomplete(submitted: 3, of: 7, reason: .messageRefused)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await client.close()
    await coordinator.close()
  }
}
