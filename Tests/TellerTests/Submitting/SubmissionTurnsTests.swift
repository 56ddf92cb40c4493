import AMQP
import JobModel
import Synchronization
import Testing

@testable import Teller

@Suite("Submissions that go to the early queue")
struct SubmissionTurnsTests {
  private let first = JobID()
  private let second = JobID()
  private let now = ContinuousClock.now
  private let turns = SubmissionTurns()

  private func submitting(_ job: JobID?) -> Bool { turns.submitting(last: job, at: now) }

  @Test("are those behind a submission that the coordinator has replied to")
  func replied() {
    #expect(!submitting(first), "those of an earlier client may not have been read")
    turns.replied(to: second)
    #expect(!submitting(first))
    turns.replied(to: first)
    #expect(submitting(second))
    #expect(!submitting(first))
    turns.replied(to: second)
    #expect(!submitting(first), "the reply was to another than the last one")
  }

  @Test("are none behind one that nobody answers")
  func unanswered() {
    _ = submitting(nil)
    turns.replied(to: first)
    #expect(!submitting(nil))
  }

  @Test("are none any more once the broker refuses them; the loss of a connection changes nothing")
  func refused() {
    _ = submitting(first)
    turns.ended(.connectionLost(reason: "cut"))
    turns.replied(to: first)
    #expect(submitting(first))
    turns.ended(.channelClosed(code: 403, text: "ACCESS_REFUSED"))
    turns.replied(to: first)
    #expect(!submitting(first))
    turns.replied(to: first)
    #expect(!submitting(first))
  }

  @Test(
    "end with the reply, also when others have been submitted behind them, or without one; then none goes for a while")
  func waits() {
    let told = Told()
    turns.awaitReply(to: first, told.append)
    #expect(!submitting(second))
    turns.replied(to: first)
    turns.giveUp(first, at: now)
    #expect(told.all == [true])
    turns.awaitReply(to: second, told.append)
    turns.giveUp(first, at: now)
    turns.giveUp(second, at: now)
    turns.replied(to: second)
    #expect(told.all == [true, false])
    #expect(!submitting(first))
    turns.replied(to: first)
    #expect(turns.submitting(last: second, at: now + EarlyPause.shortest))
  }

  private final class Told: Sendable {
    private let values = Mutex<[Bool]>([])
    var all: [Bool] { values.withLock(\.self) }
    func append(_ value: Bool) { values.withLock { $0.append(value) } }
  }
}
