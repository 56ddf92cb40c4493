import Testing

@testable import AMQP

@Suite("Confirms")
struct ConfirmsTests {
  @Test("the results of a batch come as a set, in its order, whatever order the acks come in")
  func completesAsASet() {
    var confirms = Confirms<String>(messageLimit: 10, byteLimit: 1000)
    confirms.enqueue([message("a"), message("b"), message("c")], sizes: [1, 1, 1], isTransient: false, waiter: "w")
    #expect(tags(&confirms) == [1, 2, 3])
    #expect(answers(confirms.answer(3, multiple: false, isAck: true)).isEmpty)
    #expect(answers(confirms.answer(1, multiple: false, isAck: false)).isEmpty)
    let last = confirms.answer(2, multiple: false, isAck: true)
    #expect(answers(last) == ["w": [.nacked, .confirmed, .confirmed]])
    #expect(confirms.outstandingMessages == 0 && confirms.outstandingBytes == 0)
  }

  @Test("an ack for many answers all up to its tag, across batches")
  func acksForMany() {
    var confirms = Confirms<String>(messageLimit: 10, byteLimit: 1000)
    for name in ["x", "y", "z"] { confirms.enqueue([message(name)], sizes: [1], isTransient: false, waiter: name) }
    #expect(tags(&confirms) == [1, 2, 3])
    #expect(
      answers(confirms.answer(2, multiple: true, isAck: true)) == ["x": [.confirmed], "y": [.confirmed]])
    #expect(answers(confirms.answer(0, multiple: true, isAck: false)) == ["z": [.nacked]])
  }

  @Test("a returned message is reported as returned when its ack comes, and no other with the same routing")
  func reportsReturns() {
    var confirms = Confirms<String>(messageLimit: 10, byteLimit: 1000)
    confirms.enqueue([message("a"), message("b"), message("b")], sizes: [1, 1, 1], isTransient: false, waiter: "w")
    #expect(tags(&confirms) == [1, 2, 3])
    let returned = ReturnedMessage(code: 312, text: "NO_ROUTE", exchange: "e", routingKey: "k")
    confirms.markReturned(returned, messageID: "b")
    let completions = confirms.answer(3, multiple: true, isAck: true)
    #expect(answers(completions) == ["w": [.confirmed, .returned(code: 312, text: "NO_ROUTE"), .confirmed]])
  }

  @Test("two returns that look the same belong to two messages")
  func returnsTwice() {
    var confirms = Confirms<String>(messageLimit: 10, byteLimit: 1000)
    confirms.enqueue([message("b"), message("b")], sizes: [1, 1], isTransient: false, waiter: "w")
    #expect(tags(&confirms) == [1, 2])
    let returned = ReturnedMessage(code: 312, text: "NO_ROUTE", exchange: "e", routingKey: "k")
    confirms.markReturned(returned, messageID: "b")
    confirms.markReturned(returned, messageID: "b")
    let result = PublishResult.returned(code: 312, text: "NO_ROUTE")
    #expect(answers(confirms.answer(2, multiple: true, isAck: true)) == ["w": [result, result]])
  }

  @Test("a call that is withdrawn leaves the line, and what it has sent keeps its place until it is answered")
  func withdraws() {
    var confirms = Confirms<String>(messageLimit: 2, byteLimit: 1000)
    for name in ["a", "b", "c"] {
      confirms.enqueue([message(name), message(name)], sizes: [1, 1], isTransient: false, waiter: name)
    }
    #expect(names(&confirms) == ["a", "a"])
    #expect(confirms.withdraw(2) == "b")
    #expect(confirms.withdraw(1) == "a" && confirms.withdraw(1) == nil, "it is told once")
    #expect(confirms.outstandingMessages == 2 && confirms.waitingCalls == 1 && !confirms.canSend)
    #expect(answers(confirms.answer(2, multiple: true, isAck: true)).isEmpty)
    #expect(confirms.outstandingMessages == 0 && confirms.outstandingBytes == 0)
    #expect(names(&confirms) == ["c", "c"])
    #expect(answers(confirms.answer(4, multiple: true, isAck: true)) == ["c": [.confirmed, .confirmed]])
    #expect(confirms.removeAll().isEmpty)
  }

  @Test("a call that is withdrawn in the middle sends no more of its messages")
  func withdrawsHalf() {
    var confirms = Confirms<String>(messageLimit: 1, byteLimit: 1000)
    confirms.enqueue([message("a"), message("b")], sizes: [1, 1], isTransient: false, waiter: "w")
    #expect(names(&confirms) == ["a"])
    #expect(confirms.withdraw(1) == "w")
    #expect(answers(confirms.answer(1, multiple: false, isAck: true)).isEmpty)
    #expect(names(&confirms).isEmpty && confirms.waitingCalls == 0)
  }

  @Test("the window stops at its message limit and goes on in the order of the calls")
  func limitsMessages() {
    var confirms = Confirms<String>(messageLimit: 2, byteLimit: 1000)
    confirms.enqueue([message("a"), message("b"), message("c")], sizes: [1, 1, 1], isTransient: false, waiter: "1")
    confirms.enqueue([message("d")], sizes: [1], isTransient: false, waiter: "2")
    #expect(names(&confirms) == ["a", "b"])
    #expect(!confirms.canSend)
    _ = confirms.answer(2, multiple: false, isAck: true)
    #expect(names(&confirms) == ["c"])
    _ = confirms.answer(1, multiple: false, isAck: true)
    #expect(names(&confirms) == ["d"])
  }

  @Test("the window stops at its byte limit, but a message larger than it goes alone")
  func limitsBytes() {
    var confirms = Confirms<String>(messageLimit: 10, byteLimit: 100)
    confirms.enqueue(
      [message("a"), message("b"), message("huge"), message("c")], sizes: [60, 40, 500, 1], isTransient: false,
      waiter: "w")
    #expect(names(&confirms) == ["a", "b"])
    _ = confirms.answer(1, multiple: false, isAck: true)
    #expect(names(&confirms).isEmpty)
    _ = confirms.answer(2, multiple: false, isAck: true)
    #expect(names(&confirms) == ["huge"])
    _ = confirms.answer(3, multiple: false, isAck: true)
    #expect(names(&confirms) == ["c"])
  }

  @Test("transient messages have a window of their own, and the waiter of one goes on once it is sent")
  func countsTransientMessages() throws {
    var confirms = Confirms<String>(messageLimit: 1, byteLimit: 100)
    for name in ["t", "u"] { confirms.enqueue([message(name)], sizes: [5], isTransient: true, waiter: "transient") }
    let sent = confirms.next()
    let first = try #require(sent)
    #expect(first.isTransient && first.waiter == "transient")
    #expect(tags(&confirms).isEmpty)
    #expect(answers(confirms.answer(1, multiple: false, isAck: true)).isEmpty)
    let sentNext = confirms.next()
    let second = try #require(sentNext)
    #expect(second.isTransient && second.message.properties.messageID == "u")
    confirms.enqueue([message("p")], sizes: [5], isTransient: false, waiter: "durable")
    #expect(names(&confirms) == ["p"])
    #expect(answers(confirms.answer(3, multiple: true, isAck: true)) == ["durable": [.confirmed]])
    #expect(confirms.outstandingMessages == 0 && confirms.outstandingBytes == 0)
  }

  @Test("a transient message waits behind no others: the window of what is confirmed may be full")
  func transientFirst() throws {
    var confirms = Confirms<String>(messageLimit: 10, byteLimit: 100)
    confirms.enqueue([message("p"), message("q")], sizes: [90, 90], isTransient: false, waiter: "durable")
    #expect(tags(&confirms).count == 1)
    confirms.enqueue([message("t"), message("u")], sizes: [5, 6], isTransient: true, waiter: "transient")
    let sent = [confirms.next(), confirms.next()].compactMap { $0?.message.properties.messageID }
    #expect(sent == ["t", "u"])
    #expect(!confirms.canSend)
  }

  @Test("an answer to an unknown tag changes nothing")
  func ignoresUnknownTags() {
    var confirms = Confirms<String>(messageLimit: 5, byteLimit: 100)
    confirms.enqueue([message("a")], sizes: [5], isTransient: false, waiter: "w")
    #expect(tags(&confirms) == [1])
    #expect(answers(confirms.answer(7, multiple: false, isAck: true)).isEmpty)
    #expect(confirms.outstandingMessages == 1 && confirms.outstandingBytes == 5)
  }

  @Test("when the connection ends everyone who waits is named, in the order of the calls")
  func forgetsEverything() {
    var confirms = Confirms<String>(messageLimit: 2, byteLimit: 100)
    for name in ["1", "2", "3"] { confirms.enqueue([message(name)], sizes: [1], isTransient: false, waiter: name) }
    #expect(tags(&confirms) == [1, 2])
    #expect(confirms.removeAll() == ["1", "2", "3"])
    #expect(confirms.outstandingMessages == 0 && !confirms.canSend)
  }

  private func message(_ id: String) -> Publishing {
    Publishing(exchange: "e", routingKey: "k", properties: MessageProperties(messageID: id), body: [])
  }

  private func tags(_ confirms: inout Confirms<String>) -> [UInt64] {
    var tags: [UInt64] = []
    while let outgoing = confirms.next() { tags.append(outgoing.tag) }
    return tags
  }

  private func names(_ confirms: inout Confirms<String>) -> [String] {
    var names: [String] = []
    while let outgoing = confirms.next() { names.append(outgoing.message.properties.messageID ?? "") }
    return names
  }

  private func answers(_ completions: [Confirms<String>.Completion]) -> [String: [PublishResult]] {
    Dictionary(uniqueKeysWithValues: completions.map { ($0.waiter, $0.results) })
  }
}
