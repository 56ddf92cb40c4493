import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

/// The test decides in the coordinator's place. It answers questions all the time, and knows no job: a choice is none.
@Suite("A choice about an event", .timeLimit(.minutes(10)))
struct EventChoiceTests {
  private let event = JobID()

  @Test("is sent again when the connection breaks before the answer, and the caller gets the second answer")
  func lostAnswer() async throws {
    try await withCoordinator(.patient) { coordinator, client in
      for action in [EventChoice.Action.accept, .dismiss] {
        let isDecided = Task { try await choose(action, client) }
        let first = try await coordinator.nextChoice()
        // The coordinator has decided, and its answer is lost with the connection.
        await (try await client.core.links.current).replies.provokeLoss()
        let second = try await coordinator.nextChoice()
        #expect([first, second].allSatisfy { $0.event == event && $0.action == action })
        try await coordinator.answer(event, second.reply, .duplicate)
        #expect(try await isDecided.value == false)
      }
    }
  }

  @Test("is refused by the second answer when somebody else has dismissed the event meanwhile")
  func refused() async throws {
    try await withCoordinator(.patient) { coordinator, client in
      let isDecided = Task { try await choose(.accept, client) }
      _ = try await coordinator.nextChoice()
      await (try await client.core.links.current).replies.provokeLoss()
      let second = try await coordinator.nextChoice()
      let failure = JobFailure(code: JobFailure.Code.dismissed, message: "it was dismissed")
      try await coordinator.answer(event, second.reply, .rejected(failure))
      await #expect(throws: JobError.rejected(event, failure)) { try await isDecided.value }
    }
  }

  @Test("is decided by the first answer, also when that comes after the choice was sent again")
  func lateAnswer() async throws {
    try await withCoordinator { coordinator, client in
      let isDecided = Task { try await choose(.accept, client) }
      let first = try await coordinator.nextChoice()
      // The client hears nothing for long.
      let second = try await coordinator.nextChoice()
      try await coordinator.answer(event, first.reply, .accepted)
      try await coordinator.answer(event, second.reply, .duplicate)
      #expect(try await isDecided.value)
    }
  }

  @Test("is not sent again for ever: the error says that it may have been decided")
  func noAnswer() async throws {
    var timeouts = ClientTimeouts.quick
    timeouts.unknown = .seconds(1)
    try await withCoordinator(timeouts) { _, client in
      await #expect(
        throws: TellerError.timedOut(
          waitingFor: "the choice about event \(event) to be answered", limit: timeouts.unknown)
      ) { try await choose(.accept, client) }
    }
  }

  private func choose(_ action: EventChoice.Action, _ client: TellerClient) async throws -> Bool {
    switch action {
    case .accept: try await client.acceptEvent(event)
    case .dismiss: try await client.dismissEvent(event)
    }
  }

  private func withCoordinator(
    _ timeouts: ClientTimeouts = .quick, _ body: (CoordinatorPart, TellerClient) async throws -> Void
  ) async throws {
    let coordinator = try await CoordinatorPart.start()
    let questions = try await coordinator.answerQuestions()
    let client = try await coordinator.client(timeouts: timeouts)
    try await body(coordinator, client)
    questions.cancel()
    await client.close()
    await coordinator.close()
  }
}

extension CoordinatorPart {
  /// The next submission, which must be a choice.
  fileprivate func nextChoice() async throws -> EventChoice {
    guard case .choice(let choice) = try await nextSubmission() else {
      throw TellerError.notUnderstood(reason: "the submission is no choice")
    }
    return choice
  }
}

extension ClientTimeouts {
  /// Of a client that asks only after the loss of its connection.
  fileprivate static var patient: ClientTimeouts {
    var timeouts = ClientTimeouts.quick
    timeouts.silence = CoordinatorPart.patience
    return timeouts
  }
}
