import TestSupport
import Testing

@testable import AMQP

@Suite("Messages on trial")
struct MessageTrialsTests {
  private typealias Calls = Confirms<Int>

  private func message(_ size: Int) -> Publishing {
    Publishing(exchange: "e", routingKey: "k", body: [UInt8](repeating: 0, count: size))
  }

  private func enqueue(_ size: Int, _ waiter: Int, isTransient: Bool = false, into confirms: inout Calls) {
    confirms.enqueue([message(size)], sizes: [size], isTransient: isTransient, waiter: waiter)
  }

  @Test("a body larger than any that was taken goes alone, waits for the others, and lets none overtake it")
  func goesAlone() {
    var confirms = Calls(messageLimit: 100, byteLimit: .max)
    enqueue(10, 1, into: &confirms)
    enqueue(100_000, 2, into: &confirms)
    enqueue(10, 3, into: &confirms)
    enqueue(10, 4, isTransient: true, into: &confirms)
    #expect(confirms.next()?.message.body.count == 10)
    #expect(confirms.next() == nil && !confirms.canSend, "the large one waits until the first is answered")
    #expect(confirms.answer(1, multiple: false, isAck: true).map(\.waiter) == [1])
    #expect(confirms.next()?.message.body.count == 100_000)
    #expect(confirms.next() == nil, "nothing follows it before it is answered")
    #expect(confirms.answer(2, multiple: false, isAck: true).map(\.waiter) == [2])
    #expect(confirms.next()?.tag == 3 && confirms.next()?.tag == 4)
    enqueue(99_999, 5, into: &confirms)
    #expect(confirms.next()?.message.body.count == 99_999, "the broker has taken a larger one")
  }

  @Test("the only message that is outstanding is the one that was refused, and the rest goes with new tags")
  func refused() {
    var confirms = Calls(messageLimit: 100, byteLimit: .max)
    confirms.enqueue([message(50_000), message(1)], sizes: [50_000, 1], isTransient: false, waiter: 1)
    enqueue(2, 2, into: &confirms)
    #expect(confirms.next()?.tag == 1)
    let answer = confirms.refuseOnly(code: 406, text: "too large")
    #expect(answer?.completions.isEmpty == true && answer?.transient == nil)
    #expect(confirms.next()?.tag == 1 && confirms.next()?.tag == 2)
    #expect(confirms.refuseOnly(code: 406, text: "x") == nil, "two are outstanding: nobody knows which one it is")
    let completions = confirms.answer(2, multiple: true, isAck: true)
    #expect(completions.map(\.waiter) == [1, 2])
    #expect(completions.first?.results == [.refused(code: 406, text: "too large"), .confirmed])
    #expect(confirms.outstandingMessages == 0 && confirms.outstandingBytes == 0)
    enqueue(50_000, 3, into: &confirms)
    #expect(confirms.next() != nil && confirms.next() == nil, "what was refused is no proof of anything")
  }

  @Test("a transient message that is refused is named")
  func transient() {
    var confirms = Calls(messageLimit: 100, byteLimit: .max)
    enqueue(60_000, 1, isTransient: true, into: &confirms)
    enqueue(1, 2, into: &confirms)
    #expect(confirms.next()?.waiter == 1)
    #expect(confirms.next() == nil)
    #expect(confirms.refuseOnly(code: 406, text: "x")?.transient?.body.count == 60_000)
    #expect(confirms.next()?.message.body.count == 1)
  }

  @Test("a cautious connection sends its first messages one at a time, whatever their size")
  func cautious() {
    var confirms = Calls(messageLimit: 100, byteLimit: .max, trials: MessageTrials(cautious: 2))
    for waiter in 1...4 { enqueue(1, waiter, into: &confirms) }
    #expect(confirms.next() != nil && confirms.next() == nil)
    _ = confirms.answer(1, multiple: false, isAck: true)
    #expect(confirms.next() != nil && confirms.next() == nil)
    _ = confirms.answer(2, multiple: false, isAck: true)
    #expect(confirms.next() != nil && confirms.next() != nil)
  }

  @Test("any sizes, one limit: exactly those above it are refused, and every other message is confirmed once")
  func property() {
    var random = SeededRandom(for: "messages on trial")
    for _ in 0..<200 {
      let limit = Int.random(in: MessageTrials.harmless...100_000, using: &random)
      var confirms = Calls(messageLimit: Int.random(in: 1...8, using: &random), byteLimit: .max)
      let sizes = (0..<30).map { _ in Int.random(in: 0...150_000, using: &random) }
      for (waiter, size) in sizes.enumerated() {
        enqueue(size, waiter, isTransient: Bool.random(using: &random) && size < 1_000, into: &confirms)
      }
      var results: [Int: PublishResult] = [:]
      var unanswered: [(tag: UInt64, size: Int)] = []
      while confirms.outstandingMessages > 0 || confirms.canSend {
        while let next = confirms.next() {
          unanswered.append((next.tag, next.message.body.count))
          if let waiter = next.waiter { results[waiter] = .confirmed }
        }
        guard let first = unanswered.first else { break }
        let completions: [Calls.Completion]
        if first.size > limit {
          guard let refusal = confirms.refuseOnly(code: 406, text: "") else {
            Issue.record("of \(sizes) one above \(limit) was not alone")
            return
          }
          completions = refusal.completions
          unanswered = []
        } else {
          completions = confirms.answer(first.tag, multiple: false, isAck: true)
          unanswered.removeFirst()
        }
        for completion in completions { results[completion.waiter] = completion.results[0] }
      }
      for (waiter, size) in sizes.enumerated() {
        #expect(results[waiter] == (size > limit ? .refused(code: 406, text: "") : .confirmed))
      }
    }
  }
}
