import AMQP
import BrokerSupport
import JobModel
import JobTransport
import Synchronization
import Teller
import TellerTesting
import Testing
import TestSupport

private struct Letter: JobHandler {
  static let kind: JobKind = "letter"
  struct Payload: Codable, Sendable, Equatable { var to: String }
  struct Output: Codable, Sendable, Equatable { var length: Int }

  func run(context: JobContext<Payload>) async throws -> Output {
    if context.payload.to.isEmpty { throw PermanentFailure(code: "no_address", message: "the letter has no address") }
    if context.payload.to == "later", context.headers["again"] == nil { try context.snooze(for: .milliseconds(20)) }
    if context.payload.to == "nobody" { try context.discard("nobody lives there") }
    return Output(length: context.payload.to.count)
  }
}

/// Submits a letter.
private struct Stamp: JobHandler {
  static let kind: JobKind = "stamp"
  let client: TellerClient
  func run(context: JobContext<Letter.Payload>) async throws -> NoResult {
    try await client.submit(Letter.self, context.payload, department: "post")
    return NoResult()
  }
}

/// Fails until its last attempt, of as many as its policy says.
private struct Tries: JobHandler {
  static let kind: JobKind = "tries"
  static let policy = HandlerPolicy(attempts: 4, retry: RetrySettings(first: .milliseconds(5), jitter: 0))
  func run(context: JobContext<NoResult>) async throws -> Int {
    if context.attempt < context.maxAttempts { throw JobFailure(code: "not_yet", message: "not yet") }
    return context.attempt
  }
}

/// Snoozes once: its first run leaves a mark, and its second one finds it.
private final class Nap: JobHandler {
  static let kind: JobKind = "nap"
  private let hasRun = Atomic(false)
  func run(context: JobContext<NoResult>) async throws -> Int {
    if !hasRun.exchange(true, ordering: .relaxed) { try context.snooze(for: .milliseconds(20)) }
    return context.attempt
  }
}

@Suite("The test kit", .timeLimit(.minutes(10)))
struct TestSystemTests {
  @Test("a handler runs by one line, its payload and output through JSON")
  func oneLine() async throws {
    #expect(try await TellerTesting.run(Letter(), .init(to: "A-1")) == .init(length: 3))
    await #expect(throws: PermanentFailure.self) { try await TellerTesting.run(Letter(), .init(to: "")) }
    await #expect(throws: JobDiscard.self) { try await TellerTesting.run(Letter(), .init(to: "nobody")) }
    let again = JobInfo(kind: Letter.kind, department: "post", headers: ["again": "yes"])
    #expect(try await TellerTesting.run(Letter(), .init(to: "later"), as: again) == .init(length: 5))
  }

  @Test("a program's jobs are found by kind and payload, run, and end")
  func submitted() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(serving: ["post": [Letter()]], on: broker) { system in
      for name in ["A-1", "A-22", "A-333"] {
        try await system.client.submit(Letter.self, .init(to: name), department: "post")
      }
      let letter = try await system.submission(of: Letter.self) { $0.to == "A-22" }
      #expect(try await system.outcome(of: letter.id).state == .succeeded)
      try await system.allEnded()
      #expect(try await system.submissions(of: Letter.self).map(\.payload.to) == ["A-1", "A-22", "A-333"])
    }
  }

  @Test("a handler submits jobs with the system's client")
  func following() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(serving: { ["post": [Letter(), Stamp(client: $0)]] }, on: broker) { system in
      let stamp = try await system.client.submit(Stamp.self, .init(to: "A-22"))
      #expect(try await system.outcome(of: stamp.id).state == .succeeded)
      let letter = try await system.submission(of: Letter.self)
      #expect(letter.payload == Letter.Payload(to: "A-22"))
      #expect(try await system.outcome(of: letter.id).state == .succeeded)
    }
  }

  @Test("a hook submits jobs with the system's client")
  func hook() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(
      serving: ["post": [Letter()]], on: broker,
      prepare: { worker, client in
        worker.onFailure { _ in _ = try? await client.submit(Letter.self, .init(to: "lost and found")) }
      }
    ) { system in
      let letter = try await system.client.submit(Letter.self, .init(to: ""))
      #expect(try await system.outcome(of: letter.id).state == .failed)
      let second = try await system.submission(of: Letter.self) { $0.to == "lost and found" }
      #expect(try await system.outcome(of: second.id).state == .succeeded)
    }
  }

  @Test("a kind of several departments has one handler, and a submission names the department")
  func shares() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(serving: ["north": [Letter()], "south": [Letter()]], on: broker) { system in
      for department: Department in ["north", "south"] {
        let letter = try await system.client.submit(Letter.self, .init(to: "A-1"), department: department)
        #expect(try await letter.value(timeout: TestSystem.patience).length == 3)
      }
      let nowhere = try await system.client.submit(Letter.self, .init(to: "A-1"))
      await #expect(throws: JobError.self) { try await nowhere.outcome(timeout: TestSystem.patience) }
    }
  }

  @Test("a kind of several departments may have one for submissions that name none")
  func mainDepartment() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(
      serving: ["north": [Letter()], "south": [Letter()]], on: broker, kinds: [Letter.kind: "south"]
    ) { system in
      try await system.client.submit(Letter.self, .init(to: "A-1"))
      #expect(try await system.submission(of: Letter.self).department == "south")
      try await system.allEnded()
    }
  }

  @Test("two handlers of a kind in one department are a mistake")
  func registeredTwice() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    await #expect(throws: WorkerError.registeredTwice([Letter.kind])) {
      try await TellerTesting.withSystem(serving: ["post": [Letter(), Letter()]], on: broker) { _ in }
    }
  }

  @Test("a test may drain the worker: the coordinator answers on")
  func drained() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(serving: ["post": [Letter()]], on: broker) { system in
      let first = try await system.client.submit(Letter.self, .init(to: "A-1"))
      #expect(try await system.outcome(of: first.id).state == .succeeded)
      await system.worker?.drain()
      try await eventually("the worker has left", within: TestSystem.patience) {
        try await system.client.status().workers.isEmpty
      }
      let second = try await system.client.submit(Letter.self, .init(to: "A-22"))
      try await second.accepted(timeout: TestSystem.patience)
      #expect(try await system.client.job(first.id).state == .succeeded)
    }
  }

  @Test("a job that is not submitted is told, with those that were")
  func notSubmitted() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(serving: ["post": []], on: broker, kinds: ["letter": "post"]) { system in
      try await system.client.submit(Letter.self, .init(to: "A-1"))
      _ = try await system.submission(of: Letter.self)
      await #expect(throws: TestSystemError.notSubmitted("letter", seen: ["\(Letter.Payload(to: "A-1"))"])) {
        try await system.submission(of: Letter.self, within: .milliseconds(50)) { $0.to == "B" }
      }
      await #expect(throws: TestSystemError.self) { try await system.allEnded(within: .milliseconds(50)) }
    }
  }

  @Test("a handler's policy, snooze and discard hold in a whole system")
  func policies() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(serving: ["post": [Tries(), Nap(), Letter()]], on: broker) { system in
      let tries = try await system.client.submit(Tries.self, NoResult(), department: "post")
      #expect(try await tries.value(timeout: TestSystem.patience) == 4)
      let record = try await system.client.job(tries.id)
      #expect(record.maxAttempts == 4)
      let nap = try await system.client.submit(Nap.self, NoResult(), department: "post")
      #expect(try await nap.value(timeout: TestSystem.patience) == 1, "a snooze uses up no attempt")
      let discarded = try await system.client.submit(Letter.self, .init(to: "nobody"), department: "post")
      let reason = JobFailure(code: JobFailure.Code.discarded, message: "nobody lives there")
      #expect(try await discarded.outcome(timeout: TestSystem.patience) == .cancelled(reason))
    }
  }

  @Test("a submitter's headers reach the handler")
  func headers() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await TellerTesting.withSystem(serving: ["post": [Letter()]], on: broker) { system in
      var letter = try JobSubmission(Letter.self, .init(to: "later"), department: "post")
      letter.headers = ["again": "yes"]
      #expect(try await system.client.submit(letter).value(timeout: TestSystem.patience).length == 5)
    }
  }

  @Test("tests on one virtual host go one after the other, and each finds it empty")
  func shared() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<3 {
        group.addTask {
          try await TellerTesting.withSystem(serving: ["post": []], on: broker, kinds: ["letter": "post"]) { system in
            try await system.client.submit(Letter.self, .init(to: "A-1"))
            _ = try await system.submission(of: Letter.self)
            return try await system.submissions(of: Letter.self).count
          }
        }
      }
      for try await count in group { #expect(count == 1) }
    }
  }

  @Test("a virtual host that a coordinator serves is not touched")
  func inUse() async throws {
    let broker = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await Connection.patient(to: broker, name: "coordinator")
    _ = try await connection.declare(Topology.coordinatorQueue)
    _ = try await connection.consume(Topology.Queue.coordinator, options: ConsumeOptions(prefetch: 1))
    await #expect(throws: TestSystemError.self) {
      try await TellerTesting.withSystem(serving: ["post": []], on: broker) { _ in }
    }
    await connection.close()
  }

  @Test("without a broker's URL a test says how to name one")
  func noBroker() async throws {
    await #expect(throws: TestSystemError.noBroker) {
      try await TellerTesting.withSystem(serving: ["post": []], on: "") { _ in }
    }
    #expect(TestSystemError.noBroker.description.contains("TELLER_TEST_BROKER_URL"))
  }
}
