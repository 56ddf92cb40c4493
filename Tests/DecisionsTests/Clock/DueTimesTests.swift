import JobModel
import Testing

@testable import Decisions

@Suite("When something is due")
struct DueTimesTests {
  private let now = Timestamp.noon

  @Test("the earliest time counts")
  func earliest() {
    let times = DueTimes()
    #expect(!times.isDue(at: now))
    times.expectDue(now + .seconds(2))
    times.expectDue(now + .seconds(1))
    times.expectDue(now + .seconds(3))
    #expect(!times.isDue(at: now))
    #expect(times.isDue(at: now + .seconds(1)))
  }

  @Test("a round with a job that is being withdrawn is made again soon, and one without at the next job's time")
  func rounds() {
    let times = DueTimes()
    times.expectTooLate(now)
    times.goOn(after: StartByPosition(startBy: now, number: 1))
    times.noteWithdrawing()
    times.endRound(at: now, next: nil)
    #expect(times.nextTooLate == now + DueTimes.pause)
    #expect(times.round.after == nil)
    times.endRound(at: now, next: now + .seconds(9))
    #expect(times.nextTooLate == now + .seconds(9))
  }
}
