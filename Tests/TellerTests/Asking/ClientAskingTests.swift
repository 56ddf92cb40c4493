import AMQP
import BrokerSupport
import JobModel
import JobTransport
import Testing
import TestSupport

@testable import Teller

@Suite("A client whose replies are lost asks the coordinator", .timeLimit(.minutes(10)))
struct ClientAskingTests {
  @Test("an outcome whose reply was lost is found by asking")
  func lostReply() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let handle = try await client.submit(Deposit.self, .init(cents: 3))
    let job = try await coordinator.nextJob()
    let questions = try await coordinator.answerQuestions(finished: [job.id: #"{"balance":3}"#])
    #expect(try await handle.value(timeout: CoordinatorPart.patience) == .init(balance: 3))
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("acceptance whose reply was lost is found by asking")
  func lostAcceptance() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let handle = try await client.submit(Deposit.self, .init(cents: 3))
    let questions = try await coordinator.answerQuestions(pending: [handle.id])
    try await handle.accepted(timeout: CoordinatorPart.patience)
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("a handle outlives its connections: the outcome comes after the reconnect")
  func reconnect() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let handle = try await client.submit(Deposit.self, .init(cents: 3))
    let job = try await coordinator.nextJob()
    try await coordinator.answer(job, .accepted)
    try await handle.accepted(timeout: CoordinatorPart.patience)
    let first = try await client.core.links.current
    await first.replies.provokeLoss()
    try await eventually("the client is connected again", within: CoordinatorPart.patience) {
      try await client.core.links.current.number > first.number
    }
    // The reply queue has the same name again: the address in the ledger still holds.
    try await coordinator.answer(job, .outcome(.succeeded(result: Array(#"{"balance":3}"#.utf8), contentType: nil)))
    #expect(try await handle.value(timeout: CoordinatorPart.patience) == .init(balance: 3))
    await client.close()
    await coordinator.close()
  }

  @Test("a submission whose connection breaks is sent again with the same id")
  func brokenSubmission() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    try await client.connection(of: client.core.lines.submitting).provokeLoss()
    let handle = try await client.submit(Deposit.self, .init(cents: 3))
    #expect(try await coordinator.nextJob().id == handle.id)
    await client.close()
    await coordinator.close()
  }

  @Test("a command whose answer was lost is sent again as the same command, for what is left of its limit")
  func commandAgain() async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    timeouts.request = CoordinatorPart.patience
    let client = try await coordinator.client(timeouts: timeouts)
    let commands = try await coordinator.connection.consume(Topology.Queue.admin, options: ConsumeOptions(prefetch: 9))
    let messages = commands.makeAsyncIterator()
    async let operation = client.reset()
    let first = try #require(await messages.next())
    try await client.core.links.current.replies.provokeLoss()
    let second = try #require(await messages.next())
    let id = try #require(AdminCodec.command(of: first))
    #expect(AdminCodec.command(of: second) == id)
    let times = [first, second].map { $0.properties.expiration.flatMap { Int($0) } ?? 0 }
    #expect(0 < times[1] && times[1] < times[0], "\(times)")
    guard case .asked(.reset, let address) = AdminCodec.decode(second) else {
      Issue.record("no reset: \(second)")
      return
    }
    try await coordinator.connection.publish(AnswerCodec.encode(CoordinatorPart.operation, to: address))
    #expect(try await operation.id == CoordinatorPart.operation.id)
    await client.close()
    await coordinator.close()
  }

  @Test("the outcome of a job that another program has submitted is waited for at the coordinator")
  func submittedElsewhere() async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    // Nobody asks about a silent job in this test.
    (timeouts.silence, timeouts.tick) = (.seconds(3_600), .seconds(3_600))
    let client = try await coordinator.client(timeouts: timeouts)
    let id = JobID()
    let questions = try await coordinator.answerQuestions(finished: [id: #"{"balance":7}"#])
    let job = client.handle(of: id, as: Deposit.Output.self)
    #expect(try await job.value(timeout: CoordinatorPart.patience).balance == 7)
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("of many jobs each end is told, and one that is not known is told, too, and ends nothing")
  func manyOutcomes() async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    timeouts.request = .seconds(4)
    let client = try await coordinator.client(timeouts: timeouts)
    let (ended, unknown, late) = (JobID(), JobID(), JobID())
    let questions = try await coordinator.answerQuestions(finished: [ended: "{}"], pending: [late])
    var ends = client.outcomes(of: [ended, unknown, late], timeout: CoordinatorPart.patience).makeAsyncIterator()
    var told: Set<JobID> = []
    for _ in 1...2 {
      switch try await ends.next() {
      case .ended(let job): told.insert(job.id)
      case .unknown(let id): #expect(id == unknown && told.insert(id).inserted)
      case nil: Issue.record("it ends too early")
      }
    }
    #expect(told == [ended, unknown])
    questions.cancel()
    await client.close()
    let error = await #expect(throws: TellerError.self) { _ = try await ends.next() }
    #expect(error == .closed)
    await coordinator.close()
  }

  @Test("an unknown job is told of at once where that is wanted, and what nobody reads any more is not asked about")
  func unknownAtOnce() async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    (timeouts.request, timeouts.unknown) = (.seconds(3_600), .seconds(3_600))
    let client = try await coordinator.client(timeouts: timeouts)
    let (unknown, pending) = (JobID(), JobID())
    let questions = try await coordinator.answerQuestions(pending: [pending])
    do {
      var ends = client.outcomes(of: [unknown, pending], unknownAfter: .zero).makeAsyncIterator()
      #expect(client.core.jobs.polled == [unknown, pending])
      #expect(try await ends.next() == .unknown(unknown))
    }
    try await eventually("no job is waited for", within: CoordinatorPart.patience) { client.core.jobs.polled.isEmpty }
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("a wait for many jobs ends with its time limit")
  func outcomesTimedOut() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await coordinator.client()
    let id = JobID()
    let questions = try await coordinator.answerQuestions(pending: [id])
    let expected = TellerError.timedOut(waitingFor: "job \(id) to end", limit: .milliseconds(50))
    await #expect(throws: expected) { for try await _ in client.outcomes(of: [id], timeout: .milliseconds(50)) {} }
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("a job that the coordinator does not know is told as such")
  func unknown() async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    // How long a job must be unknown before that is told. A question whose answer takes longer is only asked again.
    timeouts.request = .seconds(4)
    let client = try await coordinator.client(timeouts: timeouts)
    let questions = try await coordinator.answerQuestions()
    let id = JobID()
    await #expect(throws: TellerError.unknownJob(id)) { try await client.handle(of: id).outcome() }
    await client.close()
    // Here it is all the time that the one question has.
    timeouts.request = CoordinatorPart.patience
    let patient = try await coordinator.client(timeouts: timeouts)
    await #expect(throws: TellerError.unknownJob(id)) { try await patient.job(id) }
    questions.cancel()
    await patient.close()
    await coordinator.close()
  }

  @Test("questions are answered as the coordinator sends it")
  func questions() async throws {
    let coordinator = try await CoordinatorPart.start()
    var timeouts = ClientTimeouts.quick
    timeouts.request = CoordinatorPart.patience
    let client = try await coordinator.client(timeouts: timeouts)
    let id = JobID()
    let questions = try await coordinator.answerQuestions(finished: [id: "{}"])
    let departments = try await client.status().departments
    #expect(departments.map(\.department) == ["deposit"])
    #expect(departments.map(\.tellers) == [2])
    #expect(try await client.jobs().jobs.map(\.id) == [id])
    let board = try await client.board(BoardQuery(departments: ["deposit"], limit: 9))
    #expect(board.through == 7 && board.departments.first?.waiting.map(\.number) == [9])
    #expect(try await client.board().departments.first?.waiting == [])
    await #expect(throws: TellerError.invalid(reason: "limit 0 is not between 1 and 100")) {
      try await client.board(BoardQuery(limit: 0))
    }
    #expect(try await client.actions(ActionQuery(job: id, limit: 5)).actions.map(\.number) == [5])
    let record = try await client.job(id)
    #expect(record.state == .succeeded)
    #expect(record.ran == .milliseconds(700))
    let ends = client.outcomes(of: [id], timeout: CoordinatorPart.patience)
    #expect(try await ends.reduce(into: []) { $0.append($1) } == [.ended(record)])
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("a question that no coordinator answers says so after its limit")
  func noAnswer() async throws {
    let coordinator = try await CoordinatorPart.start()
    try await withGrowingLimit { limit in
      var timeouts = ClientTimeouts.quick
      timeouts.request = limit
      let client = try await coordinator.client(timeouts: timeouts)
      do {
        _ = try await client.status()
        Issue.record("nobody answers, and there was an answer")
      } catch TellerError.noCoordinator(let silentFor) {
        #expect(silentFor == limit)
      }
      await client.close()
    }
    await coordinator.close()
  }
}
