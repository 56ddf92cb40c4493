import JobModel
import Testing

@testable import Teller

@Suite("A client whose reply \"duplicate\" is lost asks for the name", .timeLimit(.minutes(10)))
struct LostDuplicateTests {
  @Test("of a submission whose key is taken, and whose reply was lost, the outcome is that of the job with the key")
  func lostDuplicate() async throws {
    let first = CoordinatorPart.operationJob
    try await playing(finished: [first: #"{"balance":3}"#]) { _, client in
      var submission = try JobSubmission(Deposit.self, .init(cents: 3))
      submission.key = "A-17"
      let handle = try await client.submit(submission)
      #expect(try await handle.value(timeout: CoordinatorPart.patience) == .init(balance: 3))
      #expect(handle.duplicateOf == first)
    }
  }

  @Test("of a plan that is open, and whose reply was lost, the outcome is that of the run that came first")
  func lostDuplicatePlan() async throws {
    let first = CoordinatorPart.operationJob
    try await playing(finished: [first: "{}"]) { _, client in
      let handle = try await client.startPlan("opening")
      #expect(try await handle.outcome(timeout: CoordinatorPart.patience).state == .succeeded)
      #expect(handle.duplicateOf == first)
    }
  }

  @Test("a run that is not known, of a plan whose last run has failed, may stand in the queue: it is no duplicate")
  func unknownPlan() async throws {
    try await playing(unknownSoon: true, finished: [CoordinatorPart.operationJob: "{}"]) { _, client in
      let handle = try await client.startPlan("failed")
      await #expect(throws: TellerError.unknownJob(handle.id)) {
        try await handle.accepted(timeout: CoordinatorPart.patience)
      }
      #expect(handle.duplicateOf == nil)
    }
  }

  @Test("a submission that was taken for a duplicate while it stood in the queue, and is accepted, has its own outcome")
  func duplicateNoMore() async throws {
    let first = CoordinatorPart.operationJob
    try await playing(pending: [first]) { coordinator, client in
      let handle = try await client.startPlan("opening")
      guard case .start(let start) = try await coordinator.nextSubmission() else {
        Issue.record("no order came")
        return
      }
      try await handle.accepted(timeout: CoordinatorPart.patience)
      #expect(handle.duplicateOf == first)
      try await coordinator.answer(start.id, start.reply, .accepted)
      try await coordinator.answer(start.id, start.reply, .outcome(.succeeded(result: [0x37], contentType: nil)))
      #expect(
        try await handle.outcome(timeout: CoordinatorPart.patience) == .succeeded(result: [0x37], contentType: nil))
      #expect(handle.duplicateOf == nil)
    }
  }

  @Test("a submission that is not known, and whose key is free, may stand in the queue: it is no duplicate")
  func unknownWithKey() async throws {
    try await playing(unknownSoon: true, finished: [CoordinatorPart.operationJob: #"{"balance":3}"#]) { _, client in
      var submission = try JobSubmission(Deposit.self, .init(cents: 3))
      submission.key = "free"
      let handle = try await client.submit(submission)
      await #expect(throws: TellerError.unknownJob(handle.id)) {
        try await handle.accepted(timeout: CoordinatorPart.patience)
      }
      #expect(handle.duplicateOf == nil)
    }
  }

  /// `unknownSoon`: the client gives up a job that nobody knows within moments.
  private func playing(
    unknownSoon: Bool = false, finished: [JobID: String] = [:], pending: [JobID] = [],
    _ body: (CoordinatorPart, TellerClient) async throws -> Void
  ) async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    if unknownSoon { timeouts.unknown = .seconds(2) }
    let client = try await coordinator.client(timeouts: timeouts)
    let questions = try await coordinator.answerQuestions(finished: finished, pending: pending)
    try await body(coordinator, client)
    questions.cancel()
    await client.close()
    await coordinator.close()
  }
}
