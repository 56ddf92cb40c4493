import AMQP
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A client that watches", .timeLimit(.minutes(10)))
struct ClientEventsTests {
  /// Reads until that many recorded events have come.
  private func positions(_ count: Int, of events: JobEvents) async throws -> [EventPosition] {
    let late = { @Sendable in TellerError.timedOut(waitingFor: "\(count) events", limit: .zero) }
    return try await within(CoordinatorPart.patience, orThrow: late) {
      var positions: [EventPosition] = []
      for try await event in events {
        if let position = event.position { positions.append(position) }
        if positions.count == count { break }
      }
      return positions
    }
  }

  private func numbers(_ range: ClosedRange<Int64>, epoch: Int = 1) -> [EventPosition] {
    range.map { EventPosition(epoch: epoch, sequence: $0) }
  }

  @Test("recorded events come once and in order, though messages are sent again and out of order")
  func order() async throws {
    let coordinator = try await CoordinatorPart.start()
    try await coordinator.record(1...3)
    try await coordinator.record(2...4)
    let client = try await coordinator.client()
    let events = try await client.events(since: .start)
    try await coordinator.record(8...9)
    try await coordinator.record(5...7)
    try await coordinator.record(8...9)
    try await coordinator.record(10...10)
    #expect(try await positions(10, of: events) == numbers(1...10))
    await client.close()
    await coordinator.close()
  }

  @Test("a watch from now on sees nothing of what was, and all of what comes")
  func fromNow() async throws {
    let coordinator = try await CoordinatorPart.start()
    try await coordinator.record(1...3)
    let client = try await coordinator.client()
    let events = try await client.events(since: .now)
    try await coordinator.record(4...5)
    #expect(try await positions(2, of: events) == numbers(4...5))
    await client.close()
    await coordinator.close()
  }

  @Test("a watch behind an event begins with the next one")
  func fromEvent() async throws {
    let coordinator = try await CoordinatorPart.start()
    try await coordinator.record(1...3)
    try await coordinator.record(4...6)
    let client = try await coordinator.client()
    let events = try await client.events(since: .after(EventPosition(epoch: 1, sequence: 2)))
    #expect(try await positions(4, of: events) == numbers(3...6))
    await client.close()
    await coordinator.close()
  }

  @Test("a watch goes on after its connections are lost, without a gap and without a repetition")
  func reconnect() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let events = try await client.events(since: .start)
    try await coordinator.record(1...3)
    #expect(try await positions(3, of: events) == numbers(1...3))
    for first in stride(from: Int64(4), through: 19, by: 3) {
      let link = try await client.core.links.current
      async let lost: Void = link.consuming.provokeLoss()
      try await coordinator.record(first...(first + 2))
      await lost
      #expect(try await positions(3, of: events) == numbers(first...(first + 2)))
    }
    await client.close()
    await coordinator.close()
  }

  @Test("events that are never sent again end the watch with what is missing")
  func gap() async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    timeouts.missingEvents = .milliseconds(500)
    let client = try await coordinator.client(timeouts: timeouts)
    let events = try await client.events(since: .start)
    try await coordinator.record(1...2)
    try await coordinator.record(5...6)
    #expect(try await positions(2, of: events) == numbers(1...2))
    let missing = TellerError.eventsMissing(
      after: EventPosition(epoch: 1, sequence: 2), before: EventPosition(epoch: 1, sequence: 5))
    await #expect(throws: missing) { _ = try await positions(1, of: events) }
    await client.close()
    await coordinator.close()
  }

  @Test("live events reach whoever watches at that moment, and are marked as such")
  func live() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let events = try await client.events(since: .now)
    let job = JobID()
    try await coordinator.relay("started", job: job)
    let event = try await within(CoordinatorPart.patience, orThrow: { TellerError.closed }) {
      try await events.first { _ in true }
    }
    #expect(event?.job == job)
    #expect(event?.change == .started)
    #expect(event?.isLive == true)
    await client.close()
    await coordinator.close()
  }

  @Test("a slow reader loses nothing that is recorded, also when the connection is lost meanwhile")
  func slowReader() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let events = try await client.events(since: .start)
    let count = Int64(EventBuffer.limit * 3)
    for first in stride(from: Int64(1), through: count, by: 100) { try await coordinator.record(first...(first + 99)) }
    let link = try await client.core.links.current
    await link.consuming.provokeLoss()
    #expect(try await positions(Int(count), of: events) == numbers(1...count))
    await client.close()
    await coordinator.close()
  }

  @Test("a watch ends with its client, and with its task")
  func end() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let cancelled = try await client.events(since: .now)
    let task = Task { for try await _ in cancelled {} }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let closed = try await client.events(since: .now)
    await client.close()
    await #expect(throws: TellerError.closed) { for try await _ in closed {} }
    await coordinator.close()
  }
}
