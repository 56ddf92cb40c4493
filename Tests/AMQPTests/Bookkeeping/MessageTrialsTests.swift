import TestSupport
import Testing

@testable import AMQP

/// Publishings whose changes are calls, so that they can be expected.
private final class Calls {
  private var confirms: Confirms<Int>

  init(messageLimit: Int = 100, trials: MessageTrials = MessageTrials()) {
    confirms = Confirms(messageLimit: messageLimit, byteLimit: .max, trials: trials)
  }

  func enqueue(_ messages: [Publishing], isTransient: Bool, waiter: Int) {
    confirms.enqueue(messages, sizes: messages.map(\.body.count), isTransient: isTransient, waiter: waiter)
  }
  func next() -> Confirms<Int>.Outgoing? { confirms.next() }
  func take(_ tag: UInt64, multiple: Bool = false) -> [Confirms<Int>.Completion] {
    confirms.answer(tag, multiple: multiple, isAck: true)
  }
  func refuse(_ text: String = "") -> (completions: [Confirms<Int>.Completion], transient: Publishing?)? {
    confirms.refuseOnly(code: 406, text: text)
  }
  var canSend: Bool { confirms.canSend }
  var outstanding: Int { confirms.outstandingMessages }
}

@Suite("Messages on trial")
struct MessageTrialsTests {
  private func message(_ size: Int) -> Publishing {
    Publishing(exchange: "e", routingKey: "k", body: [UInt8](repeating: 0, count: size))
  }

  private func enqueue(_ size: Int, _ waiter: Int, isTransient: Bool = false, into confirms: Calls) {
    confirms.enqueue([message(size)], isTransient: isTransient, waiter: waiter)
  }

  @Test("a body larger than any that was taken goes alone, waits for the others, and lets none overtake it")
  func goesAlone() {
    let confirms = Calls()
    enqueue(10, 1, into: confirms)
    enqueue(100_000, 2, into: confirms)
    enqueue(10, 3, into: confirms)
    enqueue(10, 4, isTransient: true, into: confirms)
    #expect(confirms.next()?.message.body.count == 10)
    #expect(confirms.next() == nil && !confirms.canSend, "the large one waits until the first is answered")
    #expect(confirms.take(1).map(\.waiter) == [1])
    #expect(confirms.next()?.message.body.count == 100_000)
    #expect(confirms.next() == nil, "nothing follows it before it is answered")
    #expect(confirms.take(2).map(\.waiter) == [2])
    #expect(confirms.next()?.tag == 3 && confirms.next()?.tag == 4)
    enqueue(99_999, 5, into: confirms)
    #expect(confirms.next()?.message.body.count == 99_999, "the broker has taken a larger one")
  }

  @Test("the only message that is outstanding is the one that was refused, and the rest goes with new tags")
  func refused() {
    let confirms = Calls()
    confirms.enqueue([message(50_000), message(1)], isTransient: false, waiter: 1)
    enqueue(2, 2, into: confirms)
    #expect(confirms.next()?.tag == 1)
    let answer = confirms.refuse("too large")
    #expect(answer?.completions.isEmpty == true && answer?.transient == nil)
    #expect(confirms.next()?.tag == 1 && confirms.next()?.tag == 2)
    #expect(confirms.refuse("x") == nil, "two are outstanding: nobody knows which one it is")
    let completions = confirms.take(2, multiple: true)
    #expect(completions.map(\.waiter) == [1, 2])
    #expect(completions.first?.results == [.refused(code: 406, text: "too large"), .confirmed])
    #expect(confirms.outstanding == 0)
    enqueue(50_000, 3, into: confirms)
    #expect(confirms.next() != nil && confirms.next() == nil, "what was refused is no proof of anything")
  }

  @Test("a transient message that is refused is named")
  func transient() {
    let confirms = Calls()
    enqueue(60_000, 1, isTransient: true, into: confirms)
    enqueue(1, 2, into: confirms)
    #expect(confirms.next()?.waiter == 1)
    #expect(confirms.next() == nil)
    #expect(confirms.refuse("x")?.transient?.body.count == 60_000)
    #expect(confirms.next()?.message.body.count == 1)
  }

  @Test("a cautious connection sends its first messages one at a time, whatever their size")
  func cautious() {
    let confirms = Calls(trials: MessageTrials(cautious: 2))
    for waiter in 1...4 { enqueue(1, waiter, into: confirms) }
    #expect(confirms.next() != nil && confirms.next() == nil)
    _ = confirms.take(1)
    #expect(confirms.next() != nil && confirms.next() == nil)
    _ = confirms.take(2)
    #expect(confirms.next() != nil && confirms.next() != nil)
  }

  @Test("any sizes, one limit: exactly those above it are refused, and every other message is confirmed once")
  func property() {
    var random = SeededRandom(for: "messages on trial")
    for _ in 0..<200 {
      let limit = Int.random(in: MessageTrials.harmless...100_000, using: &random)
      let confirms = Calls(messageLimit: Int.random(in: 1...8, using: &random))
      let sizes = (0..<30).map { _ in Int.random(in: 0...150_000, using: &random) }
      for (waiter, size) in sizes.enumerated() {
        enqueue(size, waiter, isTransient: Bool.random(using: &random) && size < 1_000, into: confirms)
      }
      var results: [Int: PublishResult] = [:]
      var unanswered: [(tag: UInt64, size: Int)] = []
      while confirms.outstanding > 0 || confirms.canSend {
        while let next = confirms.next() {
          unanswered.append((next.tag, next.message.body.count))
          if let waiter = next.waiter { results[waiter] = .confirmed }
        }
        guard let first = unanswered.first else { break }
        let completions: [Confirms<Int>.Completion]
        if first.size > limit {
          guard let refusal = confirms.refuse() else {
            Issue.record("of \(sizes) one above \(limit) was not alone")
            return
          }
          completions = refusal.completions
          unanswered = []
        } else {
          completions = confirms.take(first.tag)
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
