import AMQP
import BrokerSupport
import JobTransport
import TestSupport
import Testing

@testable import Teller
@testable import TellerCLI

@Suite("What becomes of submitted jobs")
struct SubmittedPortionTests {
  private static let count = 60

  /// One after the other, each job would be interrupted only after a silence of its own.
  private static var timeouts: ClientTimeouts {
    var timeouts = ClientTimeouts()
    (timeouts.connect, timeouts.submit, timeouts.coordinator) = (.seconds(300), .seconds(300), .seconds(300))
    (timeouts.silence, timeouts.unknown) = (.seconds(10), .seconds(1))
    return timeouts
  }

  @Test(
    "jobs that never come to a coordinator are given up all at once", .timeLimit(.minutes(5)), arguments: [false, true])
  func neverAccepted(waits: Bool) async throws {
    let url = try await BrokerNode.shared.makeVirtualHost()
    let connection = try await Connection.patient(to: url, name: "coordinator part")
    try await Topology.declareAll(on: connection, departments: ["noop"])
    let requests = try await connection.consume(Topology.Queue.requests, options: ConsumeOptions(prefetch: 100))
    let answering = Task {
      for await delivery in requests {
        try await connection.ack(delivery.deliveryTag)
        guard case .asked(.wait(let query), let address) = RequestCodec.decode(delivery) else { continue }
        let document = WaitDocument(finished: [], pending: [], unknown: query.ids)
        try await connection.publish(AnswerCodec.encode(document, to: address))
      }
    }
    let client = try await TellerClient.connect(
      try TellerConfiguration(broker: url), timeouts: SubmittedPortionTests.timeouts)
    let pipeline = SubmissionPipeline(
      client: client, waits: waits, limit: .seconds(300),
      printer: SubmissionPrinter(style: .problems, waits: waits))
    let submission = JobSubmission<JSONValue>(kind: "noop", payload: [])
    let (totals, error) = await pipeline.run(
      RepeatedSubmission(submission: submission, left: SubmittedPortionTests.count))
    #expect(error == nil)
    #expect(totals.submitted == SubmittedPortionTests.count)
    #expect(totals.notYetAccepted == SubmittedPortionTests.count)
    #expect(totals.status == .notYetAccepted)
    answering.cancel()
    await client.close()
    await connection.close()
  }
}
