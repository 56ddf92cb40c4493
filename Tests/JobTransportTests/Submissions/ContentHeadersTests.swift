import AMQP
import JobModel
import Testing

@testable import JobTransport

@Suite("The headers of a submitter")
struct ContentHeadersTests {
  private func decode(_ headers: FieldTable) -> IncomingSubmission {
    let properties = MessageProperties(headers: headers, messageID: JobID().description, type: "deposit")
    return SubmissionCodec.decode(Deliveries.make(properties, .bytes([])), now: .now())
  }

  private func own(_ headers: FieldTable) -> [String: String]? {
    guard case .job(let submission) = decode(headers) else { return nil }
    return submission.content.headers
  }

  @Test("texts, numbers and truth values go to the handler; what the broker added, and what is no value, does not")
  func own() {
    let headers: FieldTable = [
      "tenant": "north", "try": 3, "ratio": 0.5, "dry": true, "CC": ["other"], "BCC": "another", "none": .void,
      "raw": .bytes([1]),
      "x-delivery-count": 2, "x-death": [["reason": "expired"]], "x-request-id": "r-1", "teller-attempts": 2,
      "traceparent": "00-a-b-01",
    ]
    #expect(
      own(headers) == ["tenant": "north", "try": "3", "ratio": "0.5", "dry": "true", "x-request-id": "r-1"])
  }

  @Test("too many, or too large ones, are rejected, and the reason says the limit")
  func limits() {
    let most = (0..<SubmittedHeaders.most).map { ("h\($0)", FieldValue.string("")) }
    #expect(own(FieldTable(uniqueKeysWithValues: most))?.count == SubmittedHeaders.most)
    for (headers, limit): (FieldTable, Int) in [
      (FieldTable(uniqueKeysWithValues: most + [("one more", "")]), SubmittedHeaders.most),
      (["big": .string(String(repeating: "x", count: SubmittedHeaders.mostBytes))], SubmittedHeaders.mostBytes),
    ] {
      guard case .rejected(let rejection) = decode(headers) else {
        Issue.record("it was accepted")
        continue
      }
      #expect(rejection.failure.code == "bad_headers")
      #expect(rejection.failure.message.contains("\(limit)"))
    }
  }

  private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

  @Test("what Unicode takes for the same header, trace or reply queue is not: one message carries only equal bytes")
  func packedExactly() {
    func submission(_ headers: [String: String] = [:], trace: TraceContext = TraceContext(), to queue: String? = nil)
      -> Submission
    {
      var submission = Submission(id: JobID(), kind: "deposit", headers: headers)
      submission.content.trace = trace
      submission.reply = queue.map { ReplyAddress(replyTo: $0, correlationID: nil, wait: .accepted) }
      return submission
    }
    let different = [Self.composed, Self.decomposed].flatMap { name in
      [
        submission(["tenant": name]), submission([name: "1"]), submission(["tenant": "1", name: "1"]),
        submission(trace: TraceContext(traceparent: "00-a-b-01", tracestate: name)),
        submission(to: "teller.reply.\(name)"),
      ]
    }
    for one in different {
      for other in different {
        var again = other
        again.id = JobID()
        #expect(SubmissionPacks.write([one, again]).count == (one.id == other.id ? 1 : 2))
      }
    }
  }

  @Test("submissions with the same headers share a message, and those with others do not")
  func packed() {
    let north = (0..<3).map { _ in Submission(id: JobID(), kind: "deposit", headers: ["tenant": "north"]) }
    let south = (0..<2).map { _ in Submission(id: JobID(), kind: "deposit", headers: ["tenant": "south"]) }
    let packs = SubmissionPacks.write(north + south)
    #expect(packs.map(\.count) == [3, 2])
  }
}
