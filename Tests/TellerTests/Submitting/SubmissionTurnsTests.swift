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

  /// A submission that leaves, and has left.
  private func submit(_ job: JobID?) -> Bool {
    defer { turns.end() }
    return turns.begin(last: job, at: now)
  }

  @Test("are those behind a submission that the coordinator has replied to")
  func replied() {
    #expect(!submit(first), "those of an earlier client may not have been read")
    turns.replied(to: second)
    #expect(!submit(first))
    turns.replied(to: first)
    #expect(submit(second))
    #expect(!submit(first))
    turns.replied(to: second)
    #expect(!submit(first), "the reply was to another than the last one")
  }

  @Test("are those behind a submission whose reply came before the broker's confirm")
  func repliedBefore() {
    _ = turns.begin(last: first, at: now)
    turns.replied(to: first)
    #expect(!turns.begin(last: second, at: now), "the first one has not left for certain")
    turns.end()
    turns.end()
    turns.replied(to: second)
    #expect(!submit(first), "the second one was not alone")
    turns.replied(to: first)
    #expect(submit(second))
  }

  @Test("are none while another is on its way, nor behind it before the coordinator has replied to a later one")
  func together() {
    _ = submit(first)
    turns.replied(to: first)
    // A batch begins, and waits for the broker; a single one goes meanwhile, and is answered.
    #expect(turns.begin(last: nil, at: now))
    #expect(!submit(second))
    turns.replied(to: second)
    #expect(!submit(first))
    turns.replied(to: first)
    turns.end()
    #expect(!submit(second), "the batch has left after the reply")
    turns.replied(to: second)
    #expect(submit(first))
  }

  @Test("are none behind one that nobody answers")
  func unanswered() {
    _ = submit(nil)
    turns.replied(to: first)
    #expect(!submit(nil))
  }

  @Test("are none any more once the broker refuses them; other losses of a connection change nothing")
  func refused() {
    _ = submit(first)
    turns.met(.connectionLost(reason: "cut"))
    turns.met(.channelClosed(code: 403, text: "ACCESS_REFUSED - access to exchange 'teller.submit' in vhost '/'"))
    turns.replied(to: first)
    #expect(submit(first))
    turns.met(.channelClosed(code: 403, text: "ACCESS_REFUSED - access to exchange 'teller.submit.early' in vhost '/'"))
    for _ in 1...2 {
      turns.replied(to: first)
      #expect(!submit(first))
    }
  }

  @Test("are those behind the next answered one where the exchange was gone: a coordinator has declared it then")
  func gone() {
    _ = submit(first)
    turns.replied(to: first)
    turns.met(.channelClosed(code: 404, text: "NOT_FOUND - no exchange 'teller.submit.early' in vhost '/'"))
    #expect(!submit(first))
    turns.replied(to: first)
    #expect(submit(first))
  }

  @Test("end with the reply, once, also when others are submitted behind them")
  func answered() {
    let told = Told()
    turns.awaitReply(to: first, within: .seconds(3_600), told.append)
    #expect(!submit(second))
    turns.replied(to: second)
    #expect(told.all.isEmpty)
    turns.replied(to: first)
    turns.replied(to: first)
    #expect(told.all == [true])
  }

  @Test("end without a reply, also when the time is over at once; then none goes for a while")
  func silence() async throws {
    let answer = OneShot<Bool>()
    turns.awaitReply(to: first, within: .zero) { answer.fulfil(.success($0)) }
    #expect(try await answer.value == false)
    _ = submit(second)
    turns.replied(to: second)
    #expect(!submit(first))
    turns.replied(to: first)
    #expect(turns.begin(last: second, at: now + .seconds(60)))
  }

  private final class Told: Sendable {
    private let values = Mutex<[Bool]>([])
    var all: [Bool] { values.withLock(\.self) }
    func append(_ value: Bool) { values.withLock { $0.append(value) } }
  }
}
