import AMQP
import JobModel
import JobTransport
import Testing

/// Every way in which a submission cannot be understood has its code, and keeps its reply address.
@Suite struct SubmissionRejectionTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  private func valid() -> MessageProperties {
    MessageProperties(
      correlationID: "c", replyTo: "teller.reply.x", messageID: Self.id, type: "deposit")
  }

  private func rejection(
    _ body: Delivery.Body = .bytes([]), _ change: (inout MessageProperties) -> Void
  ) -> Rejection? {
    var properties = valid()
    change(&properties)
    guard case .rejected(let rejection) = SubmissionCodec.decode(Deliveries.make(properties, body), now: .now()) else {
      return nil
    }
    return rejection
  }

  private func code(_ body: Delivery.Body = .bytes([]), _ change: (inout MessageProperties) -> Void) -> String? {
    rejection(body, change)?.failure.code
  }

  @Test("a message id must be there and be a UUID")
  func ids() {
    #expect(code { $0.messageID = nil } == "missing_id")
    #expect(code { $0.messageID = "" } == "missing_id")
    #expect(code { $0.messageID = "42" } == "bad_id")
  }

  @Test("a kind must be there and be a name")
  func kinds() {
    #expect(code { $0.type = nil } == "missing_kind")
    #expect(code { $0.type = "" } == "missing_kind")
    #expect(code { $0.type = "no.dots" } == "bad_kind")
    #expect(code { $0.type = String(repeating: "k", count: 101) } == "bad_kind")
  }

  @Test(
    "a header of the wrong type or out of range is refused by name",
    arguments: [
      ("teller-department", FieldValue.string("a.b"), "bad_department"), ("teller-department", 7, "bad_department"),
      ("teller-attempts", 0, "bad_attempts"), ("teller-attempts", 101, "bad_attempts"),
      ("teller-attempts", "three", "bad_attempts"), ("teller-attempts", 1.5, "bad_attempts"),
      ("teller-attempts", true, "bad_attempts"), ("teller-rank", 0, "bad_rank"), ("teller-rank", 1_000_001, "bad_rank"),
      ("teller-wait", "finished", "bad_wait"), ("teller-wait", 1, "bad_wait"),
      ("teller-submitted-ms", "yesterday", "bad_headers"), ("teller-submitted-ms", -1, "bad_headers"),
    ])
  func headers(name: String, value: FieldValue, expected: String) {
    let rejection = rejection { $0.headers[name] = value }
    #expect(rejection?.failure.code == expected)
    #expect(rejection?.failure.message.contains(name) == true)
  }

  @Test("a priority above 9 is refused, an absent one is the normal one")
  func priorities() {
    #expect(code { $0.priority = 10 } == "bad_priority")
    #expect(code { $0.priority = 255 } == "bad_priority")
    guard case .job(let job) = SubmissionCodec.decode(Deliveries.make(valid()), now: .now()) else {
      Issue.record("a valid submission was not accepted")
      return
    }
    #expect(job.priority == .normal)
  }

  @Test("a reply address that is not allowed is refused and not answered")
  func replyTo() {
    for address in ["teller.submissions", "teller.replyx", "amq.gen-1", "Teller.reply.x"] {
      let rejection = rejection { $0.replyTo = address }
      #expect(rejection?.failure.code == "bad_reply_to")
      #expect(rejection?.reply == nil)
    }
  }

  @Test("what the client could not read of the properties is refused in words")
  func problems() {
    let rejection = rejection {
      $0.problems = [.emptyHeaderKey, .headersTooDeep(limit: 8), .notUTF8(property: "type")]
    }
    #expect(rejection?.failure.code == "bad_headers")
    #expect(rejection?.failure.message.contains("type is not UTF-8") == true)
  }

  @Test("a body over the limit is refused with its size and the limit")
  func bodyTooLarge() {
    let rejection = rejection(.overLimit(declaredSize: 5_000_000)) { _ in }
    #expect(rejection?.failure.code == "body_too_large")
    #expect(rejection?.failure.message.contains("5000000") == true)
    #expect(rejection?.failure.message.contains("1048576") == true)
  }

  @Test(
    "a header that would be ignored is refused by name",
    arguments: [
      "teller-delay", "teller-run-at-ms", "teller-start-within", "teller-timeout", "teller-keys", "teller-rnak",
    ])
  func notSupported(name: String) {
    let rejection = rejection { $0.headers[name] = "1" }
    #expect(rejection?.failure.code == "not_supported")
    #expect(rejection?.failure.message.contains(name) == true)
  }

  @Test("headers of others, void headers and the marks of parking are no reason to refuse")
  func harmless() {
    let decoded = SubmissionCodec.decode(
      Deliveries.make(
        {
          var properties = valid()
          properties.headers = [
            "x-death": [["count": 1]], "my-header": 5, "teller-key": .void, "teller-error": "missing_kind",
            "teller-message": "m", "traceparent": 7,
          ]
          return properties
        }()), now: .now())
    guard case .job(let job) = decoded else {
      Issue.record("\(decoded)")
      return
    }
    #expect(job.content.trace == TraceContext())
  }

  @Test("every rejection says where it is answered and what id it had")
  func address() {
    let rejection = rejection { properties in
      properties.messageID = String(repeating: "x", count: 200)
      properties.headers["teller-wait"] = "accepted"
    }
    #expect(rejection?.reply?.replyTo == "teller.reply.x")
    #expect(rejection?.reply?.correlationID == "c")
    #expect(rejection?.messageID == String(repeating: "x", count: 64))
  }

  @Test("control characters of a peer do not reach an error as they are")
  func controlCharacters() {
    let message = rejection { $0.type = "a\nINFO all is well\u{1B}[2J" }?.failure.message
    #expect(message?.contains(where: { $0.isNewline || $0 == "\u{1B}" }) == false)
  }

  @Test("numbers may be decimal strings")
  func decimalStrings() {
    var properties = valid()
    properties.headers = ["teller-attempts": "5", "teller-rank": 3, "teller-submitted-ms": "1700000000123"]
    guard case .job(let job) = SubmissionCodec.decode(Deliveries.make(properties), now: .now()) else {
      Issue.record("a valid submission was not accepted")
      return
    }
    #expect(job.maxAttempts == 5)
    #expect(job.rank == 3)
    #expect(job.submittedAt == Timestamp(milliseconds: 1_700_000_000_123))
  }

  @Test("the submission's time is the timestamp where the exact header is missing, and none when it is no time")
  func timestamps() {
    for (seconds, expected) in [(UInt64(1_700_000_000), Int64(1_700_000_000_000)), (UInt64.max, nil), (0, 0)] {
      var properties = valid()
      properties.timestamp = seconds
      guard case .job(let job) = SubmissionCodec.decode(Deliveries.make(properties), now: .now()) else {
        Issue.record("a valid submission was not accepted")
        return
      }
      #expect(job.submittedAt?.milliseconds == expected)
    }
  }
}
