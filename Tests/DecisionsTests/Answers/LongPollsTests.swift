import JobModel
import Testing

@testable import Decisions

@Suite("Waiting for outcomes")
struct LongPollsTests {
  private let first = JobID()
  private let second = JobID()

  private func wait(for jobs: Set<JobID>, until deadline: Duration = .seconds(10)) -> LongPolls.Poll {
    LongPolls.Poll(
      address: AnswerAddress(replyTo: "teller.reply.x", correlationID: "1"), ids: Array(jobs), deadline: deadline)
  }

  @Test("a wait is answered when the last of its jobs has ended")
  func answeredAtTheLast() {
    var waits = LongPolls()
    #expect(waits.addLookedUp(wait(for: [first, second])) == nil)
    #expect(waits.ended(first).isEmpty)
    #expect(waits.ended(second).count == 1)
    #expect(waits.ended(second).isEmpty)
  }

  @Test("a wait for nothing that is pending is answered at once")
  func answeredAtOnce() {
    var waits = LongPolls()
    #expect(waits.addLookedUp(wait(for: [])) != nil)
  }

  @Test("a wait that reaches its limit is answered with what is known, once")
  func answeredAtTheLimit() {
    var waits = LongPolls()
    _ = waits.add(wait(for: [first], until: .seconds(5)))
    #expect(waits.expire(at: .seconds(4)).isEmpty)
    #expect(waits.expire(at: .seconds(5)).count == 1)
    #expect(waits.ended(first).isEmpty)
  }

  @Test("waits that have ended leave their room to others")
  func room() {
    var waits = LongPolls()
    let jobs = (0..<1_000).map { _ in JobID() }
    for _ in 0...(LongPolls.jobLimit / jobs.count) {
      _ = waits.add(wait(for: Set(jobs)))
      for job in jobs { _ = waits.ended(job) }
    }
    #expect(!waits.isFull)
  }

  @Test("of what was looked up later, only what is pending is waited for")
  func lookedUpLater() {
    var waits = LongPolls()
    let third = JobID()
    let number = waits.add(wait(for: [first, second, third]))
    #expect(waits.ended(second).isEmpty, "it ended before anybody had looked")
    #expect(waits.narrow(number, to: [first, second]) == nil)
    #expect(waits.ended(third).isEmpty)
    #expect(waits.ended(first).count == 1)
    #expect(waits.narrow(number, to: []) == nil)
  }

  @Test("a wait of which nothing is pending is answered when that is known; one that is forgotten, never")
  func nothingPending() {
    var waits = LongPolls()
    #expect(waits.narrow(waits.add(wait(for: [first])), to: []) != nil)
    let number = waits.add(wait(for: [first]))
    waits.forget(number)
    #expect(waits.ended(first).isEmpty)
    #expect(waits.narrow(number, to: [first]) == nil)
    let early = waits.add(wait(for: [first]))
    waits.forgetAll()
    let late = waits.add(wait(for: [second]))
    #expect(waits.narrow(early, to: []) == nil)
    #expect(waits.narrow(late, to: []) != nil)
  }

  @Test("no more waits are open than their limit")
  func bounded() {
    var waits = LongPolls()
    for _ in 0..<LongPolls.limit { _ = waits.add(wait(for: [JobID()])) }
    #expect(waits.isFull)
    _ = waits.expire(at: .seconds(10))
    #expect(!waits.isFull)
  }
}

extension LongPolls {
  /// A request of which all is pending.
  fileprivate mutating func addLookedUp(_ poll: Poll) -> Poll? { narrow(add(poll), to: poll.pending) }
}
