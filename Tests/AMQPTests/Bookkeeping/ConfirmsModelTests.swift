import TestSupport
import Testing

@testable import AMQP

/// The slow and obvious account of the same: every message in one list, searched from its start.
private struct NaiveConfirms {
  struct Message {
    let batch: Int
    let id: String
    let size: Int
    let isTransient: Bool
    var tag: UInt64?
    var isAnswered = false
    var isReturned = false
    var result = PublishResult.confirmed
  }

  let messageLimit: Int
  let byteLimit: Int
  var messages: [Message] = []
  var lastTag: UInt64 = 0
  var told: Set<Int> = []

  var outstanding: [Int] { messages.indices.filter { messages[$0].tag != nil && !messages[$0].isAnswered } }
  var bytes: Int { outstanding.reduce(0) { $0 + messages[$1].size } }

  mutating func next() -> String? {
    guard let index = [true, false].compactMap({ first(isTransient: $0) }).min() else { return nil }
    lastTag += 1
    messages[index].tag = lastTag
    return messages[index].id
  }

  /// The first message of a kind, if there is room for it.
  private func first(isTransient: Bool) -> Int? {
    guard let index = messages.firstIndex(where: { $0.tag == nil && $0.isTransient == isTransient }) else { return nil }
    let kind = outstanding.filter { messages[$0].isTransient == isTransient }
    let bytes = kind.reduce(messages[index].size) { $0 + messages[$1].size }
    return kind.isEmpty || (kind.count < messageLimit && bytes <= byteLimit) ? index : nil
  }

  mutating func answer(_ tag: UInt64, multiple: Bool, isAck: Bool) -> [Int: [PublishResult]] {
    for index in outstanding where messages[index].tag == tag || (multiple && (messages[index].tag ?? 0) <= tag) {
      messages[index].isAnswered = true
      if !isAck { messages[index].result = .nacked }
    }
    messages.removeAll { $0.isTransient && $0.isAnswered }
    var completions: [Int: [PublishResult]] = [:]
    for batch in Set(messages.map(\.batch)).subtracting(told) {
      let own = messages.filter { $0.batch == batch }
      if own.allSatisfy({ $0.isAnswered && !$0.isTransient }) { completions[batch] = own.map(\.result) }
    }
    told.formUnion(completions.keys)
    messages.removeAll { told.contains($0.batch) }
    return completions
  }

  private func isUnreturned(_ index: Int, _ id: String) -> Bool {
    messages[index].id == id && !messages[index].isReturned && !messages[index].isTransient
  }

  mutating func markReturned(id: String) {
    guard let index = outstanding.first(where: { isUnreturned($0, id) }) else { return }
    messages[index].isReturned = true
    messages[index].result = .returned(code: 312, text: "NO_ROUTE")
  }
}

@Suite("Confirms and their naive model")
struct ConfirmsModelTests {
  @Test("confirms, returns and the window agree with the naive model over random histories")
  func agreesWithTheModel() {
    var random = SeededRandom(for: "Confirms")
    for _ in 0..<60 { history(&random) }
  }

  private func history(_ random: inout SeededRandom) {
    let (messageLimit, byteLimit) = (Int.random(in: 1...12, using: &random), Int.random(in: 10...80, using: &random))
    var confirms = Confirms<Int>(messageLimit: messageLimit, byteLimit: byteLimit)
    var model = NaiveConfirms(messageLimit: messageLimit, byteLimit: byteLimit)
    for step in 0..<200 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: enqueue(step, &confirms, &model, &random)
      case 4..<8: answer(&confirms, &model, &random)
      default:
        let id = "m\(Int.random(in: 0..<4, using: &random))"
        confirms.markReturned(
          ReturnedMessage(code: 312, text: "NO_ROUTE", exchange: "e", routingKey: "k"), messageID: id)
        model.markReturned(id: id)
      }
      #expect(confirms.outstandingMessages == model.outstanding.count)
      #expect(confirms.outstandingBytes == model.bytes)
    }
  }

  private func enqueue(
    _ batch: Int, _ confirms: inout Confirms<Int>, _ model: inout NaiveConfirms, _ random: inout SeededRandom
  ) {
    let count = Int.random(in: 1...5, using: &random)
    // Few ids: several messages look the same.
    let ids = (0..<count).map { _ in "m\(Int.random(in: 0..<4, using: &random))" }
    let sizes = (0..<count).map { _ in Int.random(in: 1...40, using: &random) }
    let messages = ids.map {
      Publishing(exchange: "e", routingKey: "k", properties: MessageProperties(messageID: $0), body: [])
    }
    let isTransient = Int.random(in: 0..<3, using: &random) == 0
    confirms.enqueue(messages, sizes: sizes, isTransient: isTransient, waiter: batch)
    for (id, size) in zip(ids, sizes) {
      model.messages.append(.init(batch: batch, id: id, size: size, isTransient: isTransient))
    }
    send(&confirms, &model)
  }

  private func send(_ confirms: inout Confirms<Int>, _ model: inout NaiveConfirms) {
    var sent: [String] = []
    var expected: [String] = []
    while let outgoing = confirms.next() { sent.append(outgoing.message.properties.messageID ?? "") }
    while let id = model.next() { expected.append(id) }
    #expect(sent == expected)
  }

  private func answer(_ confirms: inout Confirms<Int>, _ model: inout NaiveConfirms, _ random: inout SeededRandom) {
    let tag = UInt64.random(in: 1...max(1, model.lastTag), using: &random)
    let multiple = Int.random(in: 0..<4, using: &random) == 0
    let isAck = Int.random(in: 0..<5, using: &random) > 0
    let completions = confirms.answer(tag, multiple: multiple, isAck: isAck)
    let told = Dictionary(uniqueKeysWithValues: completions.map { ($0.waiter, $0.results) })
    #expect(told == model.answer(tag, multiple: multiple, isAck: isAck))
    send(&confirms, &model)
  }
}
