import HostingSupport
import JobModel
import TestSupport
import Testing

@testable import Hosting

@Suite("The room of the push receiver", .timeLimit(.minutes(5)))
struct PushRoomTests {
  private let taken = ToldCalls()
  private let log = ServiceLog()
  private let gate = Gate()

  private func receiver<Pushes: AsyncSequence<Push, Never> & Sendable>(
    _ pushes: Pushes? = AsyncStream<Push>?.none, room: Int, holding: EventName? = nil
  ) -> PushReceiver<Pushes> {
    var limits = PushLimits.quick
    limits.room = room
    return PushReceiver(pushes, limits: limits, logger: log.logger) { push in
      taken.note("\(push.event)")
      if push.event == holding { await gate.wait() }
    }
  }

  @Test("is for pushes that are brought, also before its host is open; whoever brings one too many is told so")
  func brought() async throws {
    let receiver = receiver(room: 2)
    let first = Push(id: JobID(), event: "one")
    #expect(await receiver.receive(first))
    #expect(await receiver.receive(Push(id: JobID(), event: "two")))
    for _ in 1...3 { #expect(await receiver.receive(Push(id: JobID(), event: "three")) == false) }
    #expect(await receiver.receive(first), "it is there already")
    #expect(log.lines.count { $0.hasPrefix("warning: 2 pushes wait") } == 1)
    try await receiver.opened()
    try await taken.wait(for: "two")
    try await eventually("there is room again", within: patience) {
      await receiver.receive(Push(id: JobID(), event: "four"))
    }
    try await taken.wait(for: "four")
    try await receiver.stopped()
    #expect(await receiver.receive(Push(id: JobID(), event: "five")) == false, "its host has ended")
    #expect(taken.all == ["one", "two", "four"])
  }

  @Test("being full, leaves pushes in their sequence, where they are not lost")
  func sequence() async throws {
    let (pushes, source) = AsyncStream.makeStream(of: Push.self, bufferingPolicy: .bufferingOldest(2))
    let read = ToldCalls()
    let noted = pushes.map { push in
      read.note("\(push.event)")
      return push
    }
    let receiver = receiver(noted, room: 2, holding: "one")
    try await receiver.opened()
    source.yield(Push(id: JobID(), event: "one"))
    try await taken.wait(for: "one")
    #expect(await receiver.receive(Push(id: JobID(), event: "two")))
    // The receiver waits for one more, of which it could not know; these stay.
    var left: [EventName] = []
    for name in ["three", "four", "five", "six"] as [EventName] {
      if case .dropped(let push) = source.yield(Push(id: JobID(), event: name)) { left.append(push.event) }
      if name == "three" { try await read.wait(for: "three") }
    }
    #expect(left == ["six"], "the sequence says so to whoever brings it")
    gate.open()
    try await taken.wait(for: "five")
    #expect(taken.all == ["one", "two", "three", "four", "five"])
    try await receiver.stopped()
  }
}
