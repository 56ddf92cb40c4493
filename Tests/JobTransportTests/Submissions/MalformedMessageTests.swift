import AMQP
import JobModel
import JobTransport
import TestSupport
import Testing

/// What nobody should send, and somebody will: each message is told as unreadable, with a reason, and nothing stops.
@Suite struct MalformedMessageTests {
  @Test("an assignment without one of its properties is unreadable, and says which")
  func assignmentProperties() {
    var random = SeededRandom(for: "assignments without a property")
    let delivery = Deliveries.of(AssignmentCodec.encode(random.assignment()))
    let removals: [(what: String, remove: (inout Delivery) -> Void)] = [
      ("correlation_id is missing", { $0.properties.correlationID = nil }),
      ("message_id is missing", { $0.properties.messageID = nil }),
      ("message_id \"7\" is not a UUID", { $0.properties.messageID = "7" }),
      ("type is not a kind", { $0.properties.type = nil }), ("type is not a kind", { $0.properties.type = "a.b" }),
      ("priority is above 9", { $0.properties.priority = 10 }),
      ("its routing key \"a.b.c\" is not a department, or one and a kind", { $0.routingKey = "a.b.c" }),
      ("its routing key \"\" is not a department, or one and a kind", { $0.routingKey = "" }),
    ]
    for (what, remove) in removals {
      var broken = delivery
      remove(&broken)
      #expect(throws: Unreadable(what)) { try AssignmentCodec.decode(broken) }
    }
  }

  @Test(
    "an assignment's correlation_id is a ledger, its numbers and its trace, or the assignment is unreadable",
    arguments: [
      "", " ", "l", "l 1 2 3 4", "l 1 2 3 4 5 soon", "l 1 2 3 4 5 6 trace 8", "l  1 2 3 4", "l 1 2 3 4 5 ",
      " l 1 2 3 4 5", " 1 2 3 4 5", "a.b 1 2 3 4 5", "ü 1 2 3 4 5", "l -1 2 3 4 5", "l 1 2 3 4 -5", "l 1 x 3 4 5",
      "l 1 0x2 3 4 5", "l 1 2.0 3 4 5",
      "l 1 ٣ 3 4 5", "l 1 2 3 4 9223372036854775808", "l\t1\t2\t3\t4\t5", "l 1 2 3 4 5\n", "l 1 2 3 4 5\u{301}",
      String(repeating: "l", count: 101) + " 1 2 3 4 5", String(repeating: " ", count: 255),
    ])
  func assignmentWords(words: String) {
    var random = SeededRandom(for: "assignments with bad words")
    var delivery = Deliveries.of(AssignmentCodec.encode(random.assignment()))
    delivery.properties.correlationID = words
    let error = #expect(throws: Unreadable.self) { try AssignmentCodec.decode(delivery) }
    #expect(error?.reason.hasPrefix("correlation_id \"") == true, "\(String(describing: error))")
    #expect(AssignmentCodec.remains(of: delivery, in: "counter") == nil)
  }

  @Test("of an unreadable assignment remains what a report needs, where it can be read")
  func remains() {
    var random = SeededRandom(for: "remains of assignments")
    let assignment = random.assignment()
    var delivery = Deliveries.of(AssignmentCodec.encode(assignment))
    delivery.properties.type = nil
    delivery.routingKey = "a.b"
    let remains = AssignmentCodec.remains(of: delivery, in: "counter")
    #expect(remains?.release == assignment.release && remains?.token == assignment.token)
    #expect(remains?.ledger == assignment.ledger && remains?.department == "counter")
    #expect(remains?.mustClaim == true)
    delivery.properties.messageID = "7"
    #expect(AssignmentCodec.remains(of: delivery, in: "counter") == nil)
  }

  @Test("an assignment whose body was over the limit is unreadable")
  func assignmentBody() {
    var random = SeededRandom(for: "assignment over the limit")
    let message = AssignmentCodec.encode(random.assignment())
    let delivery = Deliveries.make(message.properties, .overLimit(declaredSize: 9_999_999))
    #expect(throws: Unreadable.self) { try AssignmentCodec.decode(delivery) }
  }

  @Test("a notification of nobody's ledger that is unreadable tells of nothing; one of a ledger says why")
  func notifications() {
    for body in ["hello", "", "{}", "[1]", "[{}]", "[{\"event\":7}]", "\u{0}"] {
      var delivery = Deliveries.json("failed", body)
      guard case .live(let none) = NotificationCodec.decode(delivery), none.isEmpty else {
        Issue.record("\(body) was taken for a coordinator's")
        continue
      }
      delivery.properties.headers[Header.ledger] = .string("l")
      guard case .unreadable = NotificationCodec.decode(delivery) else {
        Issue.record("\(body) is readable")
        continue
      }
    }
  }

  @Test("ids that could not be part of a queue's name are unreadable")
  func ids() {
    for worker in ["", "a b", "a.b", String(repeating: "w", count: 101)] {
      let body = #"{"worker":"\#(worker)","session":1,"name":"","tellers":{},"probe":0,"running":[],"goodbye":false}"#
      guard case .flawed = PresenceCodec.decode(Deliveries.json("presence", body)) else {
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

  private func cannotBeUsed(_ messages: [ReportMessage]) -> Bool {
    messages.allSatisfy { message in
      switch message {
      case .unreadable, .flawed: true
      default: false
      }
    }
  }

  @Test("a message of an unknown type, of none, or whose body is no JSON is unreadable everywhere")
  func types() {
    for (type, body) in [
      ("nonsense", "{}"), (nil, "{}"), ("presence", "{"), ("claims", "[]"), ("answers", "[]"), ("void", "{}"),
      ("answer", "{}"), ("failed", "\u{0}"), ("reports", ""), ("reports", "{}"),
    ] {
      let delivery = Deliveries.json(type, body)
      guard cannotBeUsed(ReportCodec.decode(delivery)), case .flawed = PresenceCodec.decode(delivery),
        case .unreadable = ControlCodec.decode(delivery)
      else {
        Issue.record("\(type ?? "no type") was understood")
        continue
      }
      #expect(throws: Unreadable.self) { try ReplyCodec.decode(delivery) }
    }
    guard case .live(let none) = NotificationCodec.decode(Deliveries.json(nil, #"[{"seq":1}]"#)), none.isEmpty else {
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
      ("jobs", #"{"error":"timeout","state":"cancelled"}"#, "bad_request"), ("jobs", #"{"key":"x"}"#, "bad_request"),
      ("jobs", #"{"kind":"k","key":""}"#, "bad_request"), ("jobs", #"{"error":""}"#, "bad_request"),
      ("jobs", #"{"since_ms":7,"until_ms":7}"#, "bad_request"), ("jobs", #"{"plan":"7"}"#, "bad_request"),
      ("failures", #"{"since_ms":8,"until_ms":7}"#, "bad_request"), ("failures", #"{"state":"failed"}"#, "bad_request"),
      ("count", "{}", "bad_request"), ("count", #"{"action":"pause"}"#, "bad_request"),
      ("count", #"{"action":"reset","kind":"k"}"#, "bad_request"),
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
