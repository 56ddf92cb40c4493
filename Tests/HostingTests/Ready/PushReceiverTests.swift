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
    _ limits: PushLimits = .quick, _ sink: @escaping @Sendable (Push) async throws -> Void = { _ in }
  ) -> PushReceiver<AsyncStream<Push>> {
    PushReceiver(pushes, limits: limits, logger: log.logger) { push in
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

  @Test("says nothing of what was not told as received when its host is told of no events, as a worker")
  func worker() async throws {
    let receiver = receiver()
    come("one")
    try await receiver.opened()
    try await taken.wait(for: "one")
    try await receiver.stopped()
    #expect(log.lines == [])
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

  @Test("tries a push again until it is taken, however long the sink throws, and goes on with the others meanwhile")
  func again() async throws {
    let receiver = receiver { push in
      if push.event == "bad", taken.all.count(where: { $0 == "bad" }) < 20 { throw ServiceMistake() }
    }
    try await receiver.opened()
    let bad = come("bad")
    come("good")
    try await taken.wait(for: "bad", times: 20)
    try await receiver.draining()
    try await receiver.stopped()
    #expect(taken.all.count { $0 == "good" } == 1 && taken.all.count { $0 == "bad" } == 20)
    let tries = log.lines.filter { $0.hasPrefix("warning: push bad was not taken, try ") }
    #expect(tries.count == 11, "the first ten, and the sixteenth: \(tries)")
    #expect(tries.allSatisfy { $0.contains("\(bad.id)") } && log.lines.count == tries.count)
  }

  @Test("tries again at once when its host can work again")
  func resumed() async throws {
    var limits = PushLimits.quick
    (limits.firstPause, limits.longestPause) = (patience * 10, patience * 10)
    let receiver = receiver(limits) { _ in if taken.all.count == 1 { throw ServiceMistake() } }
    try await receiver.opened()
    come("one")
    try await log.wait(for: "push one was not taken")
    try await receiver.paused()
    try await receiver.resumed()
    try await taken.wait(for: "one", times: 2)
    try await receiver.stopped()
  }

  private struct Refusal: PushRefusal { var isFinalRefusal: Bool }

  @Test("does not try a push again that is refused for good, and logs its id; one that may be taken later it tries")
  func refused() async throws {
    let receiver = receiver { push in
      if push.event == "unknown" { throw Refusal(isFinalRefusal: true) }
      if taken.all.count(where: { $0 == "busy" }) < 3 { throw Refusal(isFinalRefusal: false) }
    }
    let unknown = come("unknown")
    come("busy")
    try await receiver.opened()
    try await taken.wait(for: "busy", times: 3)
    try await receiver.stopped()
    #expect(taken.all.count { $0 == "unknown" } == 1)
    #expect(
      log.lines.filter { $0.hasPrefix("error:") }.map { $0.contains("push unknown is refused for good") } == [true])
    #expect(log.lines.contains { $0.contains("refused") && $0.contains("\(unknown.id)") })
  }

  @Test("does not try a push again whose event the host was told of: it has come, though the sink threw")
  func hasCome() async throws {
    let gate = Gate()
    let receiver = receiver { push in
      guard push.event == "one" else { return }
      await gate.wait()
      throw ServiceMistake()
    }
    try await receiver.opened()
    let one = come("one")
    try await taken.wait(for: "one")
    try await receiver.received(.example(one.id))
    gate.open()
    come("two")
    try await taken.wait(for: "two")
    try await receiver.stopped()
    #expect(taken.all == ["one", "two"])
    #expect(!log.lines.contains { $0.contains("\(one.id)") })
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
