import JobModel
import Testing

@testable import Teller

@Suite("The limit of a handler that waits for another job", .timeLimit(.minutes(10)))
struct JobWaitingTests {
  @Test("is one for the whole wait: for the result there is what the submission and its acceptance have left of it")
  func oneLimit() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let other = JobID()
    let questions = try await coordinator.answerQuestions(pending: [other])
    let context = JobContext(kind: "loan", department: "init", payload: NoResult())
    let submission = try JobSubmission(Deposit.self, .init(cents: 3), department: "deposit", id: other)
    let limit = Duration.seconds(2)
    let waiting = Task { try await context.value(of: submission, through: client, within: limit) }
    try await coordinator.answer(try await coordinator.nextJob(), .accepted)
    let error = await #expect(throws: TellerError.self) { try await waiting.value }
    questions.cancel()
    await client.close()
    await coordinator.close()
    // On a busy machine the acceptance may use it up: then it had no more than the submission has left, either.
    guard case .timedOut(let what, let rest)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(what.contains("\(other)") && rest < limit, "\(what): \(rest)")
  }
}
