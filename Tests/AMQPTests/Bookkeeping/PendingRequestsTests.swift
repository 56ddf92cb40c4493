import Testing

@testable import AMQP

@Suite("Pending requests")
struct PendingRequestsTests {
  private let start = ContinuousClock.now

  @Test("answers belong to the requests in the order of sending")
  func answersInOrder() throws {
    var requests = PendingRequests<String>()
    requests.append(.limitPrefetch(1), deadline: start + .seconds(1), waiter: "first")
    requests.append(.deleteQueue("q"), deadline: start + .seconds(2), waiter: "second")
    #expect(requests.deadline == start + .seconds(1))
    #expect(try requests.answer(.prefetchLimited, nextUntil: start) == "first")
    #expect(requests.deadline == start + .seconds(2))
    #expect(try requests.answer(.queueDeleted, nextUntil: start) == "second")
    #expect(requests.deadline == nil)
  }

  @Test("the answer about a consumer belongs to its tag, and may come after the answers to later requests")
  func consumersLater() throws {
    var requests = PendingRequests<String>()
    for tag in ["a", "b"] {
      requests.append(.limitPrefetch(1), deadline: start + .seconds(1), waiter: "prefetch of \(tag)")
      requests.append(
        .startConsumer(tag: tag, queue: "q", arguments: [:], isExclusive: false), deadline: start + .seconds(2),
        waiter: tag)
    }
    requests.append(.cancelConsumer(tag: "c"), deadline: start + .seconds(3), waiter: "c")
    #expect(try requests.answer(.prefetchLimited, nextUntil: start) == "prefetch of a")
    #expect(try requests.answer(.prefetchLimited, nextUntil: start) == "prefetch of b")
    #expect(try requests.answer(.cancelled(tag: "c"), nextUntil: start + .seconds(9)) == "c")
    #expect(try requests.answer(.consuming(tag: "b"), nextUntil: start + .seconds(9)) == "b")
    // The time of the first runs on.
    #expect(requests.deadline == start + .seconds(2))
    #expect(try requests.answer(.consuming(tag: "a"), nextUntil: start) == "a")
  }

  @Test("no answer comes before one that is due, and none belongs to a consumer of another tag")
  func consumersNotBefore() {
    var requests = PendingRequests<String>()
    let consume = Request.startConsumer(tag: "a", queue: "q", arguments: [:], isExclusive: false)
    requests.append(.limitPrefetch(1), deadline: start, waiter: "prefetch")
    requests.append(consume, deadline: start, waiter: "a")
    #expect(throws: PendingRequests<String>.UnexpectedReply(reply: .consuming(tag: "a"), expected: .limitPrefetch(1))) {
      try requests.answer(.consuming(tag: "a"), nextUntil: start)
    }
    _ = try? requests.answer(.prefetchLimited, nextUntil: start)
    #expect(throws: PendingRequests<String>.UnexpectedReply(reply: .consuming(tag: "b"), expected: consume)) {
      try requests.answer(.consuming(tag: "b"), nextUntil: start)
    }
  }

  @Test("an answer that nobody waits for is refused")
  func refusesOthers() {
    var requests = PendingRequests<String>()
    #expect(throws: PendingRequests<String>.UnexpectedReply(reply: .bound, expected: nil)) {
      try requests.answer(.bound, nextUntil: start)
    }
    requests.append(.deleteQueue("q"), deadline: start, waiter: "w")
    #expect(throws: PendingRequests<String>.UnexpectedReply(reply: .bound, expected: .deleteQueue("q"))) {
      try requests.answer(.bound, nextUntil: start)
    }
    #expect(requests.removeAll() == ["w"])
  }

  @Test("postponing gives every request time until then")
  func postpones() throws {
    var requests = PendingRequests<String>()
    requests.append(.selectConfirms, deadline: start, waiter: "a")
    requests.append(.openChannel, deadline: start, waiter: "b")
    requests.postpone(to: start + .seconds(9))
    #expect(requests.deadline == start + .seconds(9))
    #expect(try requests.answer(.confirmsSelected, nextUntil: start) == "a")
    #expect(requests.deadline == start + .seconds(9))
  }

  @Test("the time of a request begins when the one before it is answered")
  func patience() throws {
    var requests = PendingRequests<Int>()
    for number in 0..<8 { requests.append(.openChannel, deadline: start + .seconds(10), waiter: number) }
    for number in 0..<8 {
      let now = start + .milliseconds(1_300 * (number + 1))
      #expect(try #require(requests.deadline) > now)
      #expect(try requests.answer(.channelOpened, nextUntil: now + .seconds(10)) == number)
    }
    #expect(requests.deadline == nil)
  }
}
