import HostingSupport
import JobModel
import Synchronization
import TestSupport
import Testing

@testable import Hosting

@Suite("The end of the push receiver", .timeLimit(.minutes(5)))
struct PushEndTests {
  private let pushes: AsyncStream<Push>
  private let source: AsyncStream<Push>.Continuation
  private let taken = ToldCalls()
  private let log = ServiceLog()

  init() { (pushes, source) = AsyncStream.makeStream() }

  private func receiver(
    _ limits: PushLimits = .quick, _ sink: @escaping @Sendable (Push) async throws -> Void
  ) -> PushReceiver<AsyncStream<Push>> {
    PushReceiver(pushes, limits: limits, logger: log.logger) { push in
      taken.note("\(push.event)")
      try await sink(push)
    }
  }

  private func come(_ events: EventName...) -> [Push] {
    let all = events.map { Push(id: JobID(), event: $0, payload: Array("secret".utf8)) }
    for push in all { source.yield(push) }
    return all
  }

  private var lost: [String] { log.lines.filter { $0.hasPrefix("error: pushes of which it is not known") } }

  @Test("waits for the push that is being handed over")
  func lastOne() async throws {
    let gate = Gate()
    let receiver = receiver { _ in
      await gate.wait()
      taken.note("safe, cancelled: \(Task.isCancelled)")
    }
    try await receiver.opened()
    _ = come("one")
    try await taken.wait(for: "one")
    let ending = Task {
      try await receiver.draining()
      try await receiver.stopped()
    }
    gate.open()
    try await ending.value
    #expect(taken.all == ["one", "safe, cancelled: false"])
    #expect(lost == [])
  }

  @Test("tries each push once more, and names those that nobody has taken, without their payload")
  func onceMore() async throws {
    var limits = PushLimits.quick
    (limits.firstPause, limits.longestPause, limits.namedInLine) = (patience * 10, patience * 10, 2)
    let isBack = Mutex(false)
    let receiver = receiver(limits) { push in
      if !push.event.name.hasPrefix("good") || !isBack.withLock({ $0 }) { throw ServiceMistake() }
    }
    try await receiver.opened()
    let all = come("good", "a", "b", "c")
    try await log.wait(for: "push c was not taken")
    isBack.withLock { $0 = true }
    try await receiver.draining()
    try await receiver.stopped()
    #expect(taken.all.sorted() == ["a", "a", "b", "b", "c", "c", "good", "good"])
    #expect(lost.count == 2, "two in a line")
    for push in all.dropFirst() {
      #expect(lost.contains { $0.contains("\(push.event) \(push.id)") } && !lost.contains { $0.contains("secret") })
    }
    #expect(!lost.contains { $0.contains("\(all[0].id)") })
  }

  @Test("tries the others also while the sink hangs with one")
  func besideHanging() async throws {
    let gate = Gate()
    // It does not heed the cancellation.
    let receiver = receiver { push in if push.event == "hanging" { await gate.wait() } }
    try await receiver.opened()
    let all = come("hanging")
    try await taken.wait(for: "hanging")
    for event in ["one", "two"] as [EventName] { #expect(await receiver.receive(Push(id: JobID(), event: event))) }
    let draining = Task { try await receiver.draining() }
    for event in ["one", "two"] { try await taken.wait(for: event) }
    draining.cancel()
    try await limited("the end") {
      try await draining.value
      try await receiver.stopped()
    }
    #expect(lost.map { $0.contains("hanging \(all[0].id)") } == [true])
    gate.open()
  }

  @Test("has a limit, which a sink that hangs cannot exceed")
  func limit() async throws {
    let gate = Gate()
    var limits = PushLimits.quick
    limits.lastRound = .milliseconds(1)
    let receiver = receiver(limits) { _ in await gate.wait() }
    try await receiver.opened()
    _ = come("hanging")
    try await taken.wait(for: "hanging")
    try await limited("the end") {
      try await receiver.draining()
      try await receiver.stopped()
    }
    #expect(lost.count == 1)
    gate.open()
  }

  @Test("is at once when the host gives it up: what is left is named")
  func givenUp() async throws {
    let receiver = receiver { _ in try await Task.sleep(for: patience) }
    try await receiver.opened()
    _ = come("one")
    try await taken.wait(for: "one")
    let stopping = Task { try await receiver.stopped() }
    stopping.cancel()
    try await limited("the end") { try await stopping.value }
    #expect(lost.count == 1)
  }

  @Test("also comes for a receiver whose host has never opened")
  func neverOpened() async throws {
    let receiver = receiver { _ in }
    #expect(await receiver.receive(Push(id: JobID(), event: "one")))
    try await receiver.started()
    try await receiver.stopped()
    #expect(taken.all == ["one"] && lost == [])
  }

  @Test("waits for a sequence that has just given a push, and hands that push over")
  func lastOfSequence() async throws {
    /// Gives a push after the reader was cancelled, as a sequence may.
    struct Late: AsyncSequence, AsyncIteratorProtocol, Sendable {
      let told: ToldCalls
      func makeAsyncIterator() -> Late { self }
      mutating func next() async -> Push? {
        told.note("asked")
        while !Task.isCancelled { await Task.yield() }
        return Push(id: JobID(), event: "late")
      }
    }
    let receiver = PushReceiver(Late(told: taken), limits: .quick, logger: log.logger) { push in
      taken.note("\(push.event)")
    }
    try await receiver.opened()
    try await taken.wait(for: "asked")
    try await receiver.draining()
    try await receiver.stopped()
    #expect(taken.all == ["asked", "late"] && lost == [])
  }
}
