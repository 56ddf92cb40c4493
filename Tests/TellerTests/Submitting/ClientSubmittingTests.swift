import AMQP
import Foundation
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A client that submits", .timeLimit(.minutes(10)))
struct ClientSubmittingTests {
  @Test("a submission carries what was asked for, and its handle hears of acceptance and result")
  func wholeLife() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let handle = try await client.submit(
      Deposit.self, .init(cents: 500), department: "deposit", priority: 7, attempts: 2)
    let job = try await coordinator.nextJob()
    #expect(job.id == handle.id)
    #expect(job.kind == "deposit")
    #expect(job.department == "deposit")
    #expect(job.priority == 7)
    #expect(job.maxAttempts == 2)
    #expect(job.content.contentType == "application/json")
    #expect(job.submittedAt != nil)
    #expect(try JSONDecoder().decode(Deposit.Payload.self, from: Data(job.content.payload)) == .init(cents: 500))
    try await coordinator.answer(job, .accepted)
    try await handle.accepted(timeout: CoordinatorPart.patience)
    try await coordinator.answer(job, .outcome(.succeeded(result: Array(#"{"balance":500}"#.utf8), contentType: nil)))
    #expect(try await handle.value(timeout: CoordinatorPart.patience) == .init(balance: 500))
    #expect(try await handle.outcome().state == .succeeded, "what is known stays known")
    await client.close()
    await coordinator.close()
  }

  @Test("a rejection is thrown by every wait, and the same id can be submitted again")
  func rejection() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let submission = JobSubmission(kind: "deposit", payload: Array("{}".utf8))
    let handle = try await client.submit(submission)
    let failure = JobFailure(code: "unknown_department", message: "there is none")
    try await coordinator.answer(try await coordinator.nextJob(), .rejected(failure))
    let rejection = JobError.rejected(handle.id, failure)
    await #expect(throws: rejection) { try await handle.accepted(timeout: CoordinatorPart.patience) }
    await #expect(throws: rejection) { try await handle.outcome() }
    let again = try await client.submit(submission)
    try await coordinator.answer(try await coordinator.nextJob(), .duplicate)
    try await again.accepted(timeout: CoordinatorPart.patience)
    await client.close()
    await coordinator.close()
  }

  @Test("an id that this client has used for another job is not sent, and each handle speaks for its own submission")
  func conflict() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let (first, last) = (JobSubmission(kind: "deposit", payload: [1]), JobSubmission(kind: "deposit", payload: [3]))
    var second = JobSubmission(kind: "deposit", payload: [2])
    second.id = first.id
    let handles = try await client.submit(contentsOf: [first, second, last])
    for expected in [first, last] {
      let job = try await coordinator.nextJob()
      #expect(job.id == expected.id && job.content.payload == expected.payload)
      try await coordinator.answer(job, .accepted)
    }
    for handle in [handles[0], handles[2]] {
      try await handle.accepted(timeout: CoordinatorPart.patience)
      #expect(handle.decision == SubmissionDecision(.accepted))
    }
    for wait in [{ try await handles[1].accepted() }, { _ = try await handles[1].outcome() }]
      as [() async throws -> Void]
    {
      let error = await #expect(throws: JobError.self) { try await wait() }
      #expect(error?.failure.code == JobFailure.Code.idConflict)
    }
    #expect(handles[1].decision == nil)
    await client.close()
    await coordinator.close()
  }

  @Test("the same value has the same bytes, whatever the order of its members in memory is")
  func sameBytes() throws {
    struct Many: Codable, Sendable { var members: [String: Int] }
    enum ManyHandler: JobHandler {
      static let kind: JobKind = "many"
      case only
      func run(context: JobContext<Many>) async throws -> NoResult { NoResult() }
    }
    let pairs = (1...40).map { ("member-\($0)", $0) }
    let payloads = try [pairs, pairs.reversed(), pairs.shuffled()].map { pairs in
      var members: [String: Int] = [:]
      members.reserveCapacity(Int.random(in: 1...500))
      for (name, value) in pairs { members[name] = value }
      return try JobSubmission(ManyHandler.self, Many(members: members)).payload
    }
    #expect(Set(payloads).count == 1)
  }

  @Test("a failed job's value throws its failure, and a result of another type says what is wrong")
  func failures() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let failure = JobFailure(code: "handler_error", message: "no money")
    let failed = try await client.submit(Deposit.self, .init(cents: 1))
    try await coordinator.answer(try await coordinator.nextJob(), .outcome(.failed(failure)))
    let expected = JobError.failed(failed.id, failure)
    await #expect(throws: expected) { try await failed.value(timeout: CoordinatorPart.patience) }
    #expect(expected.description == "job \(failed.id) failed: handler_error: no money")
    try await failed.accepted()
    let dropped = try await client.submit(Deposit.self, .init(cents: 1))
    try await coordinator.answer(try await coordinator.nextJob(), .outcome(.cancelled(failure)))
    await #expect(throws: JobError.cancelled(dropped.id, failure)) {
      try await dropped.value(timeout: CoordinatorPart.patience)
    }
    let odd = try await client.submit(Deposit.self, .init(cents: 1))
    try await coordinator.answer(
      try await coordinator.nextJob(), .outcome(.succeeded(result: Array("[]".utf8), contentType: nil)))
    let error = await #expect(throws: TellerError.self) { try await odd.value(timeout: CoordinatorPart.patience) }
    guard case .unexpectedResult(odd.id, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    await client.close()
    await coordinator.close()
  }

  @Test("many submissions at once keep their order, and each handle gets its own outcome")
  func batch() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let submissions = try (1...6_000).map { try JobSubmission(Deposit.self, .init(cents: $0)) }
    async let played: Void = {
      for submission in submissions {
        let job = try await coordinator.nextJob()
        #expect(job.id == submission.id)
        let cents = try JSONDecoder().decode(Deposit.Payload.self, from: Data(job.content.payload)).cents
        let result = Array(#"{"balance":\#(cents)}"#.utf8)
        try await coordinator.answer(job, .outcome(.succeeded(result: result, contentType: nil)))
      }
    }()
    let handles = try await client.submit(contentsOf: submissions)
    for (index, handle) in handles.enumerated() {
      #expect(try await handle.value(timeout: CoordinatorPart.patience).balance == index + 1)
    }
    try await played
    await client.close()
    await coordinator.close()
  }

  @Test("a submission that wants no answers names no reply queue")
  func noAnswers() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    var submission = JobSubmission(kind: "deposit", payload: [])
    submission.replies = .none
    _ = try await client.submit(submission)
    #expect(try await coordinator.nextJob().reply == nil)
    submission.replies = .acceptance
    _ = try await client.submit(submission)
    #expect(try await coordinator.nextJob().reply?.wait == .accepted)
    await client.close()
    await coordinator.close()
  }

  @Test("a plan is one message, and its handle hears of the whole and knows its steps")
  func plan() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let plan = Plan(
      department: "init",
      steps: [
        try Plan.Step("login", Deposit.self, .init(cents: 2), rank: 4),
        Plan.Step("network check", kind: "check", rank: 1, attempts: 1),
      ])
    let handle = try await client.submit(plan)
    guard case .plan(let submitted) = try await coordinator.nextSubmission() else {
      Issue.record("no plan came")
      return
    }
    #expect(submitted.department == "init")
    #expect(submitted.steps.map(\.name) == ["login", "network check"])
    #expect(submitted.steps.map(\.rank) == [4, 1])
    #expect(submitted.steps[0].payload == Array(#"{"cents":2}"#.utf8))
    #expect(submitted.steps[1].attempts == 1)
    #expect(handle.id(ofStep: "login") == JobID(plan: submitted.id, step: "login"))
    try await coordinator.answer(submitted.id, submitted.reply, .accepted)
    try await handle.accepted(timeout: CoordinatorPart.patience)
    try await coordinator.answer(submitted.id, submitted.reply, .outcome(.succeeded(result: [], contentType: nil)))
    #expect(try await handle.outcome(timeout: CoordinatorPart.patience).state == .succeeded)
    await client.close()
    await coordinator.close()
  }

  @Test("what no coordinator would take is refused before it is sent")
  func invalid() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let large = JobSubmission(kind: "deposit", payload: [UInt8](repeating: 32, count: (1 << 20) + 1))
    await #expect(throws: TellerError.payloadTooLarge(bytes: (1 << 20) + 1, limit: 1 << 20)) {
      try await client.submit(large)
    }
    await #expect(throws: TellerError.self) {
      try await client.submit(JobSubmission(kind: "deposit", payload: [], attempts: 0))
    }
    await #expect(throws: TellerError.self) { try await client.submit(Plan(department: "init", steps: [])) }
    await client.close()
    await coordinator.close()
  }
}
