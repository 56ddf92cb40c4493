import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

/// Where the trace of an assignment stands. Every job has such a message: headers cost the broker more than words do.
@Suite struct AssignmentWordsTests {
  private static let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test("a traced assignment needs no header: its words have the trace and when it was accepted")
  func traced() throws {
    let assignment = assignment(TraceContext(traceparent: Self.traceparent))
    let properties = AssignmentCodec.encode(assignment).properties
    #expect(properties.correlationID == "ledger-1 6 3 4 2 5 1700000000456 1700000000123 \(Self.traceparent)")
    #expect(properties.headers == [:])
    #expect(try decoded(properties) == assignment)
  }

  @Test("an assignment without a trace has the words of its release alone")
  func plain() throws {
    var assignment = assignment(TraceContext())
    assignment.acceptedAt = nil
    let properties = AssignmentCodec.encode(assignment).properties
    #expect(properties.correlationID == "ledger-1 6 3 4 2 5 1700000000456")
    #expect(try decoded(properties) == assignment)
  }

  @Test(
    "a trace that is no word, or is too long for the property, goes as a header",
    arguments: ["", "two words", String(repeating: "0", count: 255)])
  func unusual(traceparent: String) throws {
    let assignment = assignment(TraceContext(traceparent: traceparent, tracestate: "a=1"))
    let properties = AssignmentCodec.encode(assignment).properties
    #expect(properties.correlationID == "ledger-1 6 3 4 2 5 1700000000456 1700000000123")
    #expect(properties.headers == ["traceparent": .string(traceparent), "tracestate": "a=1"])
    #expect(try decoded(properties) == assignment)
  }

  @Test(
    "a number of a release that no ledger gives is refused: a presence that named it would be unreadable as a whole",
    arguments: [(-1, false), (0, true), (JobProgress.highestNumber, true), (JobProgress.highestNumber + 1, false)])
  func borders(number: Int, isReadable: Bool) {
    for words in ["ledger-1 6 \(number) 4 2 5 1700000000456", "ledger-1 6 3 \(number) 2 5 1700000000456"] {
      var properties = AssignmentCodec.encode(assignment(TraceContext())).properties
      properties.correlationID = words
      #expect(((try? decoded(properties)) != nil) == isReadable, "\(words)")
    }
  }

  private func assignment(_ trace: TraceContext) -> Assignment {
    Assignment(
      release: ReleaseID(job: JobID(), number: 3), token: 4, ledger: LedgerID("ledger-1"), epoch: 6, kind: "pay",
      department: "payments", priority: .normal, attempt: 2, maxAttempts: 5, mustClaim: false,
      releasedAt: Timestamp(milliseconds: 1_700_000_000_456), timeout: nil,
      content: JobContent(payload: [1], trace: trace), acceptedAt: Timestamp(milliseconds: 1_700_000_000_123))
  }

  private func decoded(_ properties: MessageProperties) throws -> Assignment {
    try AssignmentCodec.decode(Deliveries.make(properties, .bytes([1]), key: "payments"))
  }
}
