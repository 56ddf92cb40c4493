import JobModel
import JobTransport
import Testing

@testable import Coordinator

@Suite("Waiting for outcomes")
struct WaitsTests {
  private let first = JobID()
  private let second = JobID()

  private func wait(for jobs: Set<JobID>, until deadline: Duration = .seconds(10)) -> Waits.Wait {
    Waits.Wait(
      address: AnswerAddress(replyTo: "teller.reply.x", correlationID: "1"), ids: Array(jobs), pending: jobs,
      deadline: deadline)
  }

  @Test("a wait is answered when the last of its jobs has ended")
  func answeredAtTheLast() {
    var waits = Waits()
    #expect(waits.add(wait(for: [first, second])).isEmpty)
    #expect(waits.finished(first).isEmpty)
    #expect(waits.finished(second).count == 1)
    #expect(waits.finished(second).isEmpty)
  }

  @Test("a wait for nothing that is pending is answered at once")
  func answeredAtOnce() {
    var waits = Waits()
    #expect(waits.add(wait(for: [])).count == 1)
  }

  @Test("a wait that reaches its limit is answered with what is known, once")
  func answeredAtTheLimit() {
    var waits = Waits()
    _ = waits.add(wait(for: [first], until: .seconds(5)))
    #expect(waits.expire(at: .seconds(4)).isEmpty)
    #expect(waits.expire(at: .seconds(5)).count == 1)
    #expect(waits.finished(first).isEmpty)
  }

  @Test("no more waits are open than their limit")
  func bounded() {
    var waits = Waits()
    for _ in 0..<Waits.limit { _ = waits.add(wait(for: [JobID()])) }
    #expect(waits.isFull)
    _ = waits.expire(at: .seconds(10))
    #expect(!waits.isFull)
  }
}
