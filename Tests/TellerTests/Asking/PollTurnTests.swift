import Testing

@testable import Teller

@Suite("How long a question about outcomes stays open")
struct PollTurnTests {
  private func turn(
    jobs: Int = 1, groups: Int = 1, quiet: Duration = .seconds(60), silence: Duration = .zero, left: Duration? = nil
  ) -> PollTurn {
    PollTurn(jobs: jobs, groups: groups, quietFor: quiet, silence: silence, left: left)
  }

  @Test("one job that has been alone for long has a long turn, which ends when another one joins")
  func alone() {
    #expect(turn().limit == PollTurn.alone && turn().endsAtJoin)
    let young = turn(quiet: .seconds(4))
    #expect(young.limit == PollTurn.shared && !young.endsAtJoin, "else each new wait would leave a question behind")
  }

  @Test("jobs in several questions are all asked about in the time of one")
  func shared() {
    #expect(turn(jobs: 2).limit == PollTurn.shared)
    #expect(turn(jobs: 9_500, groups: 10).limit == PollTurn.shared / 10)
    #expect(turn(jobs: 100_000, groups: 100).limit == PollTurn.shortest, "else that were a hundred questions a second")
  }

  @Test("where a coordinator may be silent only for short, silent jobs are looked for and asked about sooner")
  func impatient() {
    var timeouts = ClientTimeouts()
    #expect(timeouts.longestSilence == timeouts.silence && timeouts.watchInterval == timeouts.tick)
    timeouts.coordinator = .seconds(1)
    #expect(timeouts.watchInterval < timeouts.longestSilence && timeouts.longestSilence < timeouts.coordinator / 2)
    timeouts.coordinator = .zero
    #expect(timeouts.watchInterval > .zero)
  }

  @Test("the answer comes before the time of whoever waits is over")
  func lastMoment() {
    for left in [Duration.seconds(3), .milliseconds(400), .milliseconds(101)] {
      #expect(turn(left: left).limit == left - PollTurn.lastMoment)
    }
    #expect(turn(left: .milliseconds(30)).limit == .zero)
    #expect(turn(left: .seconds(-1)).limit == .zero)
  }

  @Test("a coordinator that was silent is asked for a word at once")
  func silence() {
    #expect(turn(silence: .seconds(1)).limit == .zero)
  }
}
