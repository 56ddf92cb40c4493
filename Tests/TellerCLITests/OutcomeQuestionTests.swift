import JobTransport
import Teller
import Testing

@testable import TellerCLI

@Suite("What is asked about the outcomes of many jobs")
struct OutcomeQuestionTests {
  private let jobs = (0..<3).map { _ in JobID() }

  @Test("jobs that have not ended are asked about again")
  func pending() {
    var question = OutcomeQuestion(jobs)
    #expect(question.next == jobs)
    question.answered(WaitDocument(finished: [], pending: jobs))
    #expect(question.next == jobs)
  }

  @Test("outcomes that did not fit are asked for first, and by themselves")
  func omitted() {
    var question = OutcomeQuestion(jobs)
    question.answered(WaitDocument(finished: [], pending: [jobs[0]], omitted: [jobs[1], jobs[2]]))
    #expect(question.next == [jobs[1], jobs[2]])
    question.answered(WaitDocument(finished: [], pending: []))
    #expect(question.next == jobs)
  }

  @Test(
    "no question takes more than half of what is left, but for the last one, which ends a moment before")
  func turns() throws {
    let open = try #require(WaitTurn(left: nil, jobs: 1))
    #expect(open.limit == OutcomeWait.turn && open.patience > open.limit && !open.isLast)
    let long = try #require(WaitTurn(left: .seconds(60), jobs: 2))
    #expect(long.limit == OutcomeWait.sharedTurn && !long.isLast)
    for left in [Duration.seconds(15), .seconds(4), .milliseconds(900), .milliseconds(401)] {
      let turn = try #require(WaitTurn(left: left, jobs: 1))
      #expect(turn.limit > .zero && turn.limit < turn.patience && turn.patience <= left / 2 && !turn.isLast, "\(left)")
    }
    for left in [Duration.milliseconds(400), .milliseconds(150), .milliseconds(3)] {
      let turn = try #require(WaitTurn(left: left, jobs: 1))
      #expect(turn.limit >= .zero && turn.limit < left && turn.patience == left && turn.isLast, "\(left)")
    }
    #expect(WaitTurn(left: .zero, jobs: 1) == nil)
    #expect(WaitTurn(left: .seconds(-1), jobs: 1) == nil)
    #expect(OutcomeWait.timeouts(timeout: .seconds(1)).connect == .seconds(1))
    #expect(OutcomeWait.timeouts(timeout: .seconds(600)).connect == OutcomeWait.timeouts().connect)
  }

  @Test("nothing is asked about no jobs")
  func none() {
    #expect(OutcomeQuestion([]).next == nil)
  }

  @Test("a portion is never larger than its limit, and all are in one")
  func portions() {
    #expect(Array(1...5).pieces(of: 2).map(Array.init) == [[1, 2], [3, 4], [5]])
    #expect([Int]().pieces(of: 2).isEmpty)
  }

  @Test("a short limit also shortens what one question may take")
  func timeouts() {
    let timeouts = ClientTimeouts.forPeople(coordinator: .seconds(1))
    #expect(timeouts.coordinator == .seconds(1))
    #expect(timeouts.silence + timeouts.request == .seconds(1), "the silence before the first question counts")
    #expect(timeouts.countedSilence == timeouts.silence)
    #expect(timeouts.tick < timeouts.silence)
    #expect(ClientTimeouts.forPeople(coordinator: .zero).tick > .zero)
    let usual = ClientTimeouts.forPeople(coordinator: .seconds(60))
    #expect(usual.request == ClientTimeouts.forPeople.request && usual.silence == ClientTimeouts.forPeople.silence)
  }
}
