import JobModel
import Testing

@testable import Decisions

@Suite("Requests that wait for the outcomes of keys")
struct KeyPollsTests {
  private let one = JobKey(kind: "deposit", key: "a")
  private let other = JobKey(kind: "loan", key: "a")

  private func poll(_ key: JobKey, until deadline: Int = 10) -> KeyPolls.Poll {
    KeyPolls.Poll(
      address: AnswerAddress(replyTo: "teller.reply.x", correlationID: nil), key: key, deadline: .seconds(deadline))
  }

  @Test("the end of a job answers those who wait for its key, and no others, once")
  func ended() {
    var polls = KeyPolls()
    for key in [one, other, one] { _ = polls.add(poll(key)) }
    #expect(polls.count(of: one) == 2)
    #expect(polls.ended(one).map(\.key) == [one, one])
    #expect(polls.ended(one).isEmpty && polls.count(of: one) == 0 && polls.count(of: other) == 1)
  }

  @Test("a request is answered once: by an end, by its deadline, or by who took it")
  func once() {
    var polls = KeyPolls()
    let numbers = [polls.add(poll(one)), polls.add(poll(one, until: 20)), polls.add(poll(one, until: 30))]
    #expect(polls.take(numbers[0])?.key == one)
    #expect(polls.take(numbers[0]) == nil)
    #expect(polls.expire(at: .seconds(19)).isEmpty)
    #expect(polls.expire(at: .seconds(20)).count == 1)
    #expect(polls.ended(one).count == 1)
    #expect(polls.expire(at: .seconds(99)).isEmpty && polls.take(numbers[2]) == nil)
  }

  @Test("their number is bounded, and a new session forgets all")
  func bounded() {
    var polls = KeyPolls()
    for _ in 0..<KeyPolls.limit { _ = polls.add(poll(one)) }
    #expect(polls.isFull)
    polls.forgetAll()
    #expect(!polls.isFull && polls.ended(one).isEmpty && polls.count(of: one) == 0)
  }
}
