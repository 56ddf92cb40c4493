import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

/// What nobody should send, and somebody will: each message is told as unreadable, with a reason, and nothing stops.
@Suite struct MalformedMessageTests {
  @Test("an assignment without one of its headers is unreadable, and says which")
  func assignmentHeaders() {
    var random = SeededRandom(for: "assignments without a header")
    var assignment = random.assignment()
    assignment.mustClaim = false
    assignment.trace = TraceContext()
    assignment.timeout = nil
    let message = AssignmentCodec.encode(assignment)
    for name in message.properties.headers.keys where name != "teller-epoch" {
      var broken = message
      broken.properties.headers[name] = nil
      #expect(throws: Unreadable("header \(name) is missing")) { try AssignmentCodec.decode(Deliveries.of(broken)) }
      broken.properties.headers[name] = [1]
      #expect(throws: Unreadable.self) { try AssignmentCodec.decode(Deliveries.of(broken)) }
    }
  }

  @Test("an assignment whose body was over the limit is unreadable")
  func assignmentBody() {
    var random = SeededRandom(for: "assignment over the limit")
    let message = AssignmentCodec.encode(random.assignment())
    let delivery = Deliveries.make(message.properties, .overLimit(declaredSize: 9_999_999))
    #expect(throws: Unreadable.self) { try AssignmentCodec.decode(delivery) }
  }

  @Test("a report without one of its headers is unreadable, and says which")
  func reportHeaders() {
    var random = SeededRandom(for: "reports without a header")
    let message = ReportCodec.encode(random.report())
    for name in message.properties.headers.keys where name != "teller-permanent" {
      var broken = message
      broken.properties.headers[name] = nil
      #expect(ReportCodec.decode(Deliveries.of(broken)) == .unreadable("header \(name) is missing"))
    }
  }

  @Test("a report with a number that is none, negative or too large is unreadable")
  func reportNumbers() {
    var random = SeededRandom(for: "reports with bad numbers")
    let message = ReportCodec.encode(random.report())
    for value in [FieldValue.int(-1), "9223372036854775808", 1.5, true, .bytes([1])] {
      var broken = message
      broken.properties.headers["teller-token"] = value
      guard case .unreadable = ReportCodec.decode(Deliveries.of(broken)) else {
        Issue.record("\(value) was taken for a token")
        continue
      }
    }
  }

  @Test("ids that could not be part of a queue's name are unreadable")
  func ids() {
    for worker in ["", "a b", "a.b", String(repeating: "w", count: 101)] {
      let body = #"{"worker":"\#(worker)","session":1,"name":"","tellers":{},"probe":0,"running":[],"goodbye":false}"#
      guard case .unreadable = PresenceCodec.decode(Deliveries.json("presence", body)) else {
        Issue.record("\"\(worker)\" was taken for a worker")
        continue
      }
    }
  }

  @Test("a failure of a peer is cut to its limits, also one that is a single character")
  func failures() throws {
    let endless = "e" + String(repeating: "\u{301}", count: 50_000)
    let message = MessageProperties(type: "failed")
    let body = #"{"error":"\#(endless)","message":"\#(endless)"}"#
    let reply = try ReplyCodec.decode(Deliveries.make(message, .bytes(Array(body.utf8))))
    guard case .outcome(.failed(let failure)) = reply.content else {
      Issue.record("\(reply)")
      return
    }
    #expect(failure.message.utf8.count < 5_000)
    #expect(failure.code.utf8.count < 200)
  }

  @Test("a message of an unknown type, of none, or whose body is no JSON is unreadable everywhere")
  func types() {
    for (type, body) in [
      ("nonsense", "{}"), (nil, "{}"), ("presence", "{"), ("claims", "[]"), ("answers", "[]"), ("void", "{}"),
      ("answer", "{}"), ("failed", "\u{0}"),
    ] {
      let delivery = Deliveries.json(type, body)
      guard case .unreadable = ReportCodec.decode(delivery), case .unreadable = PresenceCodec.decode(delivery),
        case .unreadable = ControlCodec.decode(delivery)
      else {
        Issue.record("\(type ?? "no type") was understood")
        continue
      }
      #expect(throws: Unreadable.self) { try ReplyCodec.decode(delivery) }
    }
    guard case .unreadable = NotificationCodec.decode(Deliveries.json(nil, #"[{"seq":1}]"#)) else {
      Issue.record("half a notification was understood")
      return
    }
  }

  @Test(
    "a request that cannot be understood is refused with what is wrong",
    arguments: [
      ("dance", "{}", "unknown_request"), (nil, "{}", "unknown_request"), ("jobs", "[]", "bad_request"),
      ("jobs", #"{"limit":0}"#, "bad_request"), ("jobs", #"{"limit":1001}"#, "bad_request"),
      ("jobs", #"{"state":"lost"}"#, "bad_request"), ("jobs", #"{"departmnt":"x"}"#, "bad_request"),
      ("jobs", #"{"unsettled":true,"state":"held"}"#, "bad_request"), ("cancel", #"{"all":true}"#, "unknown_request"),
      ("explain", "{}", "bad_request"), ("explain", #"{"job":"01890a5d-ac96-774b-bcce-b302099a8057"}"#, "bad_request"),
      ("report", "{}", "bad_request"), ("report", #"{"since_ms":"monday"}"#, "bad_request"),
      ("report", #"{"since_ms":1,"plan":"01890a5d-ac96-774b-bcce-b302099a8057"}"#, "bad_request"),
      ("operation", #"{"id":"7"}"#, "bad_request"), ("operation", #"{"id":1.5}"#, "bad_request"),
      ("show", #"{"id":"42"}"#, "bad_request"), ("wait", #"{"ids":[]}"#, "bad_request"),
      ("wait", #"{"ids":["01890a5d-ac96-774b-bcce-b302099a8057"],"limit_ms":30001}"#, "bad_request"),
      ("wait", #"{"ids":["01890a5d-ac96-774b-bcce-b302099a8057"],"limit_ms":-1}"#, "bad_request"),
    ])
  func requests(type: String?, body: String, code: String) {
    let decoded = RequestCodec.decode(Deliveries.json(type, body, replyTo: "teller.reply.x"))
    guard case .refused(let failure, let address) = decoded else {
      Issue.record("\(decoded)")
      return
    }
    #expect(failure.code == code)
    #expect(address.replyTo == "teller.reply.x")
  }

  @Test("a request that does not say where to answer, or a place that is not allowed, is not answered")
  func unanswerable() {
    for replyTo in [nil, "", "teller.submissions"] {
      guard case .unanswerable = RequestCodec.decode(Deliveries.json("status", "{}", replyTo: replyTo)) else {
        Issue.record("\(replyTo ?? "nobody") would be answered")
        continue
      }
    }
  }
}
