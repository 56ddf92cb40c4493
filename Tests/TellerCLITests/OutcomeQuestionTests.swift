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

  @Test("nothing is asked about no jobs")
  func none() {
    #expect(OutcomeQuestion([]).next == nil)
  }

  @Test("a portion is never larger than its limit, and all are in one")
  func portions() {
    #expect(Array(1...5).chunked(2) == [[1, 2], [3, 4], [5]])
    #expect([Int]().chunked(2).isEmpty)
  }

  @Test("a short limit also shortens what one question may take")
  func limits() {
    let limits = ClientLimits.forPeople(coordinator: .seconds(1))
    #expect(limits.coordinator == .seconds(1))
    #expect(limits.request == .seconds(1))
    #expect(ClientLimits.forPeople(coordinator: .seconds(60)).request == ClientLimits.forPeople.request)
  }
}
