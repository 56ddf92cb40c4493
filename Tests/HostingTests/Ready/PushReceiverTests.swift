import HostingSupport
import JobModel
import TestSupport
import Testing

@testable import Hosting

@Suite("The push receiver", .timeLimit(.minutes(5)))
struct PushReceiverTests {
  private let pushes: AsyncStream<Push>
  private let source: AsyncStream<Push>.Continuation
  private let taken = ToldCalls()
  private let log = ServiceLog()

  init() { (pushes, source) = AsyncStream.makeStream() }

  private func receiver(
    _ sink: @escaping @Sendable (Push) async throws -> Void = { _ in }
  ) -> PushReceiver<AsyncStream<Push>> {
    PushReceiver(pushes, logger: log.logger) { push in
      taken.note("\(push.event)")
      try await sink(push)
    }
  }

  @discardableResult
  private func come(_ event: EventName) -> Push {
    let push = Push(id: JobID(), event: event, payload: [1])
    source.yield(push)
    return push
  }

  @Test("takes pushes once its host is open, in their order, and remembers them until the host is told of the event")
  func taken() async throws {
    let receiver = receiver()
    let first = come("one")
    let second = come("two")
    try await receiver.started()
    #expect(taken.all == [])
    try await receiver.opened()
    try await taken.wait(for: "two")
    #expect(taken.all == ["one", "two"])
    try await receiver.received(.example(first.id))
    try await receiver.draining()
    try await receiver.stopped()
    let left = log.lines.last ?? ""
    #expect(left.contains("1 were not told as received") && left.contains("\(second.id)"), "\(left)")
  }

  @Test("takes nothing while its host is paused")
  func paused() async throws {
    let receiver = receiver()
    try await receiver.opened()
    come("one")
    try await taken.wait(for: "one")
    for event in ["two", "three"] as [EventName] {
      try await receiver.paused()
      come(event)
      for _ in 1...100 { await Task.yield() }
      taken.note("resumed")
      try await receiver.resumed()
      try await taken.wait(for: event.name)
    }
    #expect(taken.all == ["one", "resumed", "two", "resumed", "three"])
    try await receiver.stopped()
  }

  @Test("tries a push again that was not taken, a limited number of times, and goes on with the next one")
  func again() async throws {
    let receiver = receiver { push in if push.event == "bad" { throw ServiceMistake() } }
    try await receiver.opened()
    let bad = come("bad")
    come("good")
    try await taken.wait(for: "good")
    #expect(taken.all == ["bad", "bad", "bad", "good"])
    #expect(
      log.lines.contains { $0.hasPrefix("error: push bad was not taken, try 3 of 3") && $0.contains("\(bad.id)") })
    try await receiver.stopped()
  }

  @Test("hands over what it has taken before it stops")
  func lastOne() async throws {
    let gate = Gate()
    let receiver = receiver { _ in
      await gate.wait()
      taken.note("safe, cancelled: \(Task.isCancelled)")
    }
    try await receiver.opened()
    come("one")
    try await taken.wait(for: "one")
    try await receiver.draining()
    let stopping = Task { try await receiver.stopped() }
    gate.open()
    try await stopping.value
    #expect(taken.all == ["one", "safe, cancelled: false"])
  }

  @Test("a sink that hangs does not keep it from ending when the host gives it up")
  func hangingSink() async throws {
    let receiver = receiver { _ in try await Task.sleep(for: patience) }
    try await receiver.opened()
    come("one")
    try await taken.wait(for: "one")
    let stopping = Task { try await receiver.stopped() }
    stopping.cancel()
    try await limited("the end") { try await stopping.value }
    #expect(log.lines.contains { $0.hasPrefix("error: push one was not taken") })
  }

  @Test("says that its pushes have ended, and with which error")
  func ended() async throws {
    let receiver = receiver()
    try await receiver.opened()
    source.finish()
    try await log.wait(for: "info: the pushes have ended")
    let failing = PushReceiver(AsyncThrowingStream<Push, any Error> { throw ServiceMistake() }, logger: log.logger) {
      _ in
    }
    try await failing.opened()
    try await log.wait(for: "error: the pushes have ended with an error: ServiceMistake")
    try await failing.stopped()
    try await receiver.stopped()
  }
}

extension EventStatus {
  fileprivate static func example(_ id: JobID) -> EventStatus {
    EventStatus(
      id: id, name: "push", plan: "day", state: .acted, department: "work", kind: "push", receivedAt: .now(),
      decidedAt: nil)
  }
}
