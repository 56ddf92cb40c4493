import AMQP
import JobModel
import JobTransport
import Testing

/// Messages of events, and choices about events, that nobody should send.
@Suite struct EventRejectionTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8057"

  private func decode(
    _ text: String, headers: FieldTable = [:], messageID: String? = id,
    contentType: String = "application/vnd.teller.event+json"
  ) -> IncomingSubmission {
    let properties = MessageProperties(
      contentType: contentType, headers: headers, replyTo: "teller.reply.x", messageID: messageID)
    return SubmissionCodec.decode(Deliveries.make(properties, .bytes(Array(text.utf8))), now: .now())
  }

  private func failure(_ text: String, headers: FieldTable = [:], messageID: String? = id) -> JobFailure? {
    guard case .rejected(let rejection) = decode(text, headers: headers, messageID: messageID) else { return nil }
    return rejection.failure
  }

  private static let eitherOr = "give event, with plan and payload perhaps; or accept alone; or dismiss alone"

  @Test(
    "a broken event is refused with what is wrong and where",
    arguments: [
      ("", "not JSON"), ("{", "not JSON"), ("[]", "an event is an object with event, accept or dismiss"),
      ("7", "an event is an object"), ("{}", eitherOr), (#"{"payload":7}"#, eitherOr), (#"{"plan":"p"}"#, eitherOr),
      (#"{"event":"pu.sh"}"#, "\"pu.sh\" is not a name: 1–100 letters, digits, - and _ at event"),
      (#"{"event":""}"#, "at event"), (#"{"event":null}"#, "at event"), (#"{"event":7}"#, "at event"),
      (#"{"event":"push","plan":"o p"}"#, "at plan"), (#"{"event":"push","plan":null}"#, "at plan"),
      (#"{"event":"push","event":"pull"}"#, "\"event\" stands twice"),
      (#"{"event":"push","rank":1}"#, "the member \"rank\" of a message of an event"),
      (#"{"event":"push"} {}"#, "not JSON"), (#"{"event":"push","payload":}"#, "not JSON"),
    ])
  func events(text: String, expected: String) {
    let failure = failure(text)
    #expect(failure?.code == "bad_event")
    #expect(failure?.message.contains(expected) == true, "\(failure?.message ?? "accepted")")
  }

  @Test("a choice names one event, by its id, and nothing else")
  func choices() {
    for action in ["accept", "dismiss"] {
      for (value, expected) in [
        ("\"7\"", "\"7\" is not a UUID at \(action)"), ("\"\"", "\"\" is not a UUID at \(action)"),
        ("7", "at \(action)"), ("null", "at \(action)"), ("[\"\(Self.id)\"]", "at \(action)"),
      ] {
        let failure = failure("{\"\(action)\":\(value)}")
        #expect(failure?.code == "bad_event")
        #expect(failure?.message.contains(expected) == true, "\(failure?.message ?? "accepted")")
      }
      for more in [#""event":"push""#, #""plan":"opening""#, #""payload":7"#] {
        let failure = failure("{\"\(action)\":\"\(Self.id)\",\(more)}")
        #expect(failure?.code == "bad_event" && failure?.message.contains(Self.eitherOr) == true, "\(more)")
      }
    }
    let both = failure(#"{"accept":"\#(Self.id)","dismiss":"\#(Self.id)"}"#)
    #expect(both?.code == "bad_event" && both?.message.contains(Self.eitherOr) == true)
  }

  @Test("an event has an id, and none of a job's headers, nor a department")
  func headers() {
    let good = #"{"event":"push"}"#
    #expect(failure(good) == nil)
    #expect(failure(good, messageID: nil)?.code == "missing_id")
    #expect(failure(good, messageID: "7")?.code == "bad_id")
    for name in ["teller-rank", "teller-attempts", "teller-delay-ms", "teller-after", "teller-key", "teller-run-at"] {
      #expect(failure(good, headers: [name: 1])?.code == "not_supported", "\(name)")
      #expect(failure(#"{"accept":"\#(Self.id)"}"#, headers: [name: 1])?.code == "not_supported", "\(name)")
    }
    #expect(failure(good, headers: ["teller-department": "init"])?.code == "bad_event")
    #expect(failure(good, headers: ["teller-delya": 1])?.code == "not_supported")
  }

  @Test("an event that nests without end is refused and harms nothing")
  func nesting() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(failure(#"{"event":"push","payload":"# + deep)?.code == "bad_event")
    #expect(failure(deep)?.code == "bad_event")
  }

  @Test("a refusal is answered where the message says, with its id")
  func answered() {
    guard case .rejected(let rejection) = decode("{}") else {
      Issue.record("nothing was taken for an event")
      return
    }
    #expect(rejection.reply?.replyTo == "teller.reply.x" && rejection.messageID == Self.id)
  }

  @Test("the content type tells an event whatever its case and parameters")
  func contentTypes() {
    for type in ["Application/VND.teller.event+JSON", "application/vnd.teller.event+json; charset=utf-8"] {
      guard case .event(let event) = decode(#"{"event":"push"}"#, contentType: type) else {
        Issue.record("\(type) was not taken for an event")
        continue
      }
      #expect(event.name == "push" && event.plan == nil && event.content.payload == [])
    }
  }
}
