import AMQP
import BrokerSupport
import Foundation
import JobModel
import JobTransport
import SystemSupport
import TestSupport
import Testing

/// Programs in other languages choose the ids of their commands.
@Suite("The id of a command")
struct CommandIDTests {
  /// Gives commands, and reads their answers.
  private struct Commander {
    let connection: Connection
    let answers: Consumer
    let queue: String

    init(to system: TellerSystem) async throws {
      connection = try await Connection.patient(to: system.brokerURL)
      let id = JobID()
      try await connection.declare(Topology.replyQueue(id))
      queue = Topology.Queue.reply(id)
      answers = try await connection.consume(queue, options: ConsumeOptions(prefetch: 1))
    }

    /// The answer, as text: JSON.
    func give(_ request: AdminRequest, _ command: UUID) async throws -> String {
      let address = AnswerAddress(replyTo: queue, correlationID: "c")
      let message = AdminCodec.encode(request, address: address, expiration: .seconds(30), command: command)
      #expect(try await connection.publish(message) == .confirmed)
      let answer = try #require(try await limited("the answer") { await answers.nextBatch(atMost: 1) }?.first)
      try await connection.ack(answer.deliveryTag)
      guard case .bytes(let body) = answer.body else { return "" }
      return String(decoding: body, as: UTF8.self)
    }
  }

  @Test("makes a command that comes again the same one; with that id another command is refused, and does nothing")
  func used() async throws {
    let system = try await TellerSystem.onSharedBroker(departments: "work: {}, other: {}")
    let coordinator = try await system.startCoordinator()
    let commander = try await Commander(to: system)
    let command = UUID()
    let first = try await commander.give(.cancel(JobSelection(department: "work")), command)
    #expect(first.contains("cancel"), "\(first)")
    #expect(try await commander.give(.cancel(JobSelection(department: "work")), command).contains("cancel"))
    let waiting = try await system.submitOne("noop", "--department", "other")
    let others: [AdminRequest] = [
      .cancel(JobSelection(department: "other")), .cancel(JobSelection(department: "work", kind: "noop")),
      .replay(JobSelection(department: "work")), .reset,
    ]
    for other in others {
      let answer = try await commander.give(other, command)
      #expect(answer.contains("id_conflict"), "\(other): \(answer)")
    }
    #expect(try await system.state(of: waiting) == "queued")
    await commander.connection.close()
    try await coordinator.close()
  }
}
