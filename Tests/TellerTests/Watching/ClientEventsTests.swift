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
      let connection = try await client.connection(of: client.core.lines.watching)
      async let lost: Void = connection.provokeLoss()
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

  @Test("a watch goes on although nobody holds its client any more")
  func clientDropped() async throws {
    let coordinator = try await CoordinatorPart.start()
    let events = try await coordinator.client().events(since: .start)
    try await coordinator.record(1...2)
    #expect(try await positions(2, of: events) == numbers(1...2))
    await coordinator.close()
  }

  @Test("a watch from now on whose connection is lost before the first event misses none, and sees none of before")
  func fromNowReconnected() async throws {
    let coordinator = try await CoordinatorPart.start()
    // More messages than may be un-acked.
    for number in Int64(1)...100 { try await coordinator.record(number...number) }
    let client = try await coordinator.client()
    let events = try await client.events(since: .now)
    let connection = try await client.connection(of: client.core.lines.watching)
    async let lost: Void = connection.provokeLoss()
    try await coordinator.record(101...103)
    await lost
    #expect(try await positions(3, of: events) == numbers(101...103))
    await client.close()
    await coordinator.close()
  }

  @Test("a watch from now on of a stream without messages begins with the first one, also on a later connection")
  func fromNowEmpty() async throws {
    let coordinator = try await CoordinatorPart.start()
    try await coordinator.emptyStream()
    let client = try await coordinator.client()
    let events = try await client.events(since: .now)
    try await client.connection(of: client.core.lines.watching).provokeLoss()
    try await coordinator.record(1...2)
    #expect(try await positions(2, of: events) == numbers(1...2))
    await client.close()
    await coordinator.close()
  }

  @Test("a watch behind an event goes on at the event's place, and elsewhere when the event is not there")
  func fromPlace() async throws {
    let coordinator = try await CoordinatorPart.start()
    for number in Int64(1)...50 { try await coordinator.record(number...number) }
    let client = try await coordinator.client()
    let read = try await positions(50, of: try await client.events(since: .start))
    #expect(read.allSatisfy { $0.offset != nil })
    let later = try await client.events(since: .after(read[39]))
    #expect(try await positions(10, of: later) == numbers(41...50))
    for wrong in [Int64(0), 30, 49, 5_000] {
      var position = read[39]
      position.offset = wrong
      let events = try await client.events(since: .after(position))
      #expect(try await positions(10, of: events) == numbers(41...50), "from offset \(wrong)")
    }
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
    try await client.connection(of: client.core.lines.watching).provokeLoss()
    #expect(try await positions(Int(count), of: events) == numbers(1...count))
    await client.close()
    await coordinator.close()
  }

  @Test("while a watch waits for its reader, what is missing has time to come")
  func slowReaderOverGap() async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    timeouts.missingEvents = .seconds(20)
    let client = try await coordinator.client(timeouts: timeouts)
    let reader = EventReader(client.core, since: .start)
    let reading = Task { await reader.run() }
    try await limited("the watch begins") { try await reader.ready.value }
    // Room for one more event; then one is missing, and a live one takes the room.
    let full = Int64(EventBuffer.limit)
    try await coordinator.record(1...(full - 1))
    try await coordinator.record((full + 1)...(full + 1))
    try await eventually("an event is missing", within: patience) { await reader.order.missing != nil }
    try await coordinator.relay("started", job: JobID())
    // It comes on a way of its own: the missing one may be quicker.
    try await eventually("a live event takes the room", within: patience) { reader.buffer.isFull }
    try await coordinator.record(full...full)
    try await eventually("the watch waits for its reader", within: patience) { await reader.gap.isPaused }
    // The limit itself: nothing else can show that it does not count.
    try await Task.sleep(for: timeouts.missingEvents + .seconds(1))
    var numbers: [Int64] = []
    while numbers.count <= full {
      let event = try await limited("the next event") { try await reader.buffer.next() }
      if let position = event.position { numbers.append(position.sequence) }
    }
    #expect(numbers == Array(1...(full + 1)))
    reading.cancel()
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
