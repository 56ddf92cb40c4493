import AMQP
import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A watch from a moment", .timeLimit(.minutes(10)))
struct EventMomentTests {
  private static let messages = 40
  private static let each = 5
  private static let count = messages * each

  /// Records events in one go, so that the stream has many messages in a chunk, and more than one event in a message. The
  /// coordinator's clock is ahead of the broker's by `lead`; between two events a second passes by it.
  private func record(_ coordinator: CoordinatorPart, lead: Duration) async throws -> [Timestamp] {
    let begin = Timestamp.now() + lead - .seconds(Self.count)
    let times = (0..<Self.count).map { begin + .seconds($0) }
    let batches = stride(from: 0, to: Self.count, by: Self.each).map { first in
      NotificationBatch(
        ledger: coordinator.ledger, epoch: 1,
        notifications: (first..<first + Self.each).map { number in
          JobModel.Notification(
            seq: Int64(number) + 1, job: JobID(), kind: "deposit", department: "deposit", event: "succeeded",
            attempt: 1, at: times[number])
        })
    }
    let answers = try await coordinator.connection.publish(contentsOf: batches.map { NotificationCodec.encode($0) })
    #expect(answers.allSatisfy { $0 == .confirmed })
    return times
  }

  private func numbers(_ count: Int, since date: Date, _ client: TellerClient) async throws -> [Int64] {
    try await limited("\(count) events") {
      var numbers: [Int64] = []
      for try await event in try await client.events(since: .at(date)) {
        if let position = event.position { numbers.append(position.sequence) }
        if numbers.count == count { break }
      }
      return numbers
    }
  }

  @Test(
    "begins with the first event of that moment or later, in the middle of a chunk and of a message, and misses none",
    arguments: [Duration.zero, .seconds(600), .seconds(-600)])
  func moment(lead: Duration) async throws {
    let coordinator = try await CoordinatorPart.start()
    let times = try await record(coordinator, lead: lead)
    let client = try await coordinator.client()
    for index in [0, 1, 57, 102, Self.count - 1] {
      let rest = Array(Int64(index + 1)...Int64(Self.count))
      #expect(try await numbers(rest.count, since: times[index].date, client) == rest)
      // Between two events.
      let before = times[index].date.addingTimeInterval(-0.5)
      #expect(try await numbers(rest.count, since: before, client) == rest)
    }
    await client.close()
    await coordinator.close()
  }

  @Test("tells nothing of what was before a moment that is still to come, and goes on when its connection is lost")
  func later() async throws {
    let coordinator = try await CoordinatorPart.start()
    let times = try await record(coordinator, lead: .zero)
    let client = try await coordinator.client()
    let last = try #require(times.last)
    let events = try await client.events(since: .at(last.date.addingTimeInterval(0.5)))
    try await client.connection(of: client.core.lines.watching).provokeLoss()
    let next = Int64(Self.count + 1)
    try await coordinator.record(next...(next + 1))
    let told = try await limited("the next event") { try await events.first { !$0.isLive } }
    #expect(told?.position?.sequence == next)
    await client.close()
    await coordinator.close()
  }
}
