import AMQP
import JobModel
import JobTransport
import Logging
import Testing
import TestSupport

@testable import Teller

@Suite("A client whose broker refuses one of its calls", .timeLimit(.minutes(10)))
struct ClientRefusalTests {
  private func client(of role: BrokerRole, at url: String, _ log: WorkerLog = WorkerLog()) async throws -> TellerClient
  {
    let configuration = try TellerConfiguration(broker: try await role.makeUser(at: url))
    var timeouts = ClientTimeouts.quick
    timeouts.request = CoordinatorPart.patience
    return try await TellerClient.connect(configuration, timeouts: timeouts, logger: log.logger)
  }

  private func expectRefusal<Value: Sendable>(_ call: @escaping @Sendable () async throws -> Value) async throws {
    let error = try await limited("the refusal of a call") {
      await #expect(throws: TellerError.self) { _ = try await call() }
    }
    guard case .brokerRefused(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("teller."), "the reason names what is refused")
  }

  @Test("a command that the user may not give fails at once, and no other call notices")
  func command() async throws {
    let coordinator = try await CoordinatorPart.start()
    let log = WorkerLog()
    let client = try await client(of: BrokerRole("producer"), at: coordinator.url, log)
    let events = try await client.events(since: .now)
    let questions = try await coordinator.answerQuestions()
    let first = try await client.core.links.current.number
    for _ in 1...3 {
      try await expectRefusal { try await client.pause("deposit") }
      _ = try await client.submit(Deposit.self, .init(cents: 1))
      _ = try await coordinator.nextJob()
      _ = try await client.status().departments
    }
    #expect(try await client.core.links.current.number == first, "the connections are the same")
    #expect(log.messages.contains { $0.contains("teller.admin") })
    try await coordinator.record(1...1)
    let event = try await limited("an event") { try await events.first { _ in true } }
    #expect(event?.position?.sequence == 1)
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("commands that are refused hold no submission back that is sent at the same time")
  func commandsMeanwhile() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await client(of: BrokerRole("producer"), at: coordinator.url)
    let first = try await client.core.links.current.number
    let commands = Task {
      for _ in 1...10 { try await expectRefusal { try await client.pause("deposit") } }
    }
    for cents in 1...100 { _ = try await client.submit(Deposit.self, .init(cents: cents)) }
    try await commands.value
    #expect(try await client.core.links.current.number == first)
    await client.close()
    await coordinator.close()
  }

  @Test("a user who may not submit is told so at each submission, and may still ask")
  func submission() async throws {
    let coordinator = try await CoordinatorPart.start()
    let client = try await client(of: BrokerRole("monitor"), at: coordinator.url)
    let questions = try await coordinator.answerQuestions()
    let first = try await client.core.links.current.number
    for _ in 1...3 {
      try await expectRefusal { try await client.submit(Deposit.self, .init(cents: 1)) }
      _ = try await client.status().departments
    }
    #expect(try await client.core.links.current.number == first)
    questions.cancel()
    await client.close()
    await coordinator.close()
  }

  @Test("a user who may not watch is told so at once, and may still submit")
  func watch() async throws {
    let coordinator = try await CoordinatorPart.start()
    var role = try BrokerRole("producer")
    role.read = "^teller\\.reply\\..*$"
    let client = try await client(of: role, at: coordinator.url)
    let first = try await client.core.links.current.number
    try await expectRefusal { try await client.events(since: .start) }
    _ = try await client.submit(Deposit.self, .init(cents: 1))
    #expect(try await client.core.links.current.number == first)
    await client.close()
    await coordinator.close()
  }
}
