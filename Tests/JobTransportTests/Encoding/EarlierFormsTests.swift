import AMQP
import JobModel
import Testing

@testable import JobTransport

/// What an earlier version left in the queues.
struct EarlierFormsTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"
  private static let numbers: FieldTable = [
    "teller-release": 3, "teller-token": 4, "teller-ledger": "l", "teller-attempt": 2,
  ]

  private func delivery(_ properties: MessageProperties, _ key: String, _ body: String) -> Delivery {
    Deliveries.of(Publishing(exchange: "teller", routingKey: key, properties: properties, body: Array(body.utf8)))
  }

  @Test("an assignment with its numbers in headers is read, with and without an epoch", arguments: [nil, 6])
  func assignment(epoch: Int64?) throws {
    var headers = Self.numbers.merging(["teller-department": "counter", "teller-attempts": 5, "teller-claim": true]) {
      $1
    }
    headers["teller-epoch"] = epoch.map { .int($0) }
    let properties = MessageProperties(headers: headers, priority: 7, messageID: Self.id, type: "deposit")
    let expected = Assignment(
      release: ReleaseID(job: try #require(JobID(Self.id)), number: 3), token: 4, ledger: LedgerID("l"),
      epoch: Int(epoch ?? 0), kind: "deposit", department: "counter", priority: 7, attempt: 2,
      maxAttempts: 5, mustClaim: true, timeout: nil, payload: Array("{}".utf8), contentType: nil, trace: TraceContext())
    let decoded = try AssignmentCodec.decode(delivery(properties, "counter", "{}"))
    #expect(decoded == expected)
  }

  @Test("a report in a message of its own is read")
  func reports() throws {
    let headers = Self.numbers.merging([
      "teller-worker": "w", "teller-kind": "deposit", "teller-department": "counter", "teller-started-ago-us": 1500,
      "teller-ran-us": 1200, "teller-permanent": true,
    ]) { $1 }
    var properties = MessageProperties(contentType: "a/b", headers: headers, messageID: Self.id, type: "succeeded")
    var expected = Report(
      release: ReleaseID(job: try #require(JobID(Self.id)), number: 3), token: 4, ledger: LedgerID("l"),
      worker: WorkerID("w"), startedAgo: .microseconds(1500), ran: .microseconds(1200),
      result: .succeeded(result: Array("r".utf8), contentType: "a/b"))
    #expect(ReportCodec.decode(delivery(properties, "teller.reports", "r")) == [.report(expected)])
    properties.type = "failed"
    expected.result = .failed(JobFailure(code: "c", message: "m"), isPermanent: true)
    let failed = delivery(properties, "teller.reports", #"{"error":"c","message":"m"}"#)
    #expect(ReportCodec.decode(failed) == [.report(expected)])
  }

  @Test("one that lacks a number is unreadable, and says which", arguments: ["teller-token", "teller-ran-us"])
  func missing(name: String) {
    var headers = Self.numbers.merging(["teller-worker": "w", "teller-started-ago-us": 1, "teller-ran-us": 1]) { $1 }
    headers[name] = nil
    let properties = MessageProperties(headers: headers, messageID: Self.id, type: "succeeded")
    let decoded = ReportCodec.decode(delivery(properties, "teller.reports", "r"))
    #expect(decoded == [.unreadable("header \(name) is missing")])
  }
}
