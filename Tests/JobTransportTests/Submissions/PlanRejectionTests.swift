import AMQP
import JobModel
import JobTransport
import Testing

@Suite struct PlanRejectionTests {
  private func decode(
    _ text: String, contentType: String = "application/vnd.teller.plan+json", headers: FieldTable = [:]
  ) -> IncomingSubmission {
    let properties = MessageProperties(
      contentType: contentType, headers: headers, messageID: "01890a5d-ac96-774b-bcce-b302099a8057")
    return SubmissionCodec.decode(Deliveries.make(properties, .bytes(Array(text.utf8))), now: .now())
  }

  private func failure(_ text: String, headers: FieldTable = [:]) -> JobFailure? {
    guard case .rejected(let rejection) = decode(text, headers: headers) else { return nil }
    return rejection.failure
  }

  private static let good = #"{"department":"init","steps":[{"name":"a","kind":"k","rank":1}]}"#

  @Test(
    "a broken plan is refused with what is wrong and where",
    arguments: [
      ("", "not JSON"), ("{", "not JSON"), ("[]", "object"), ("{}", "\"department\" is missing"),
      (#"{"department":"a.b","steps":[]}"#, "at department"),
      (#"{"department":"init","steps":[]}"#, "at least one step"),
      (#"{"department":"init","steps":[{"name":"a","kind":"k"}]}"#, "\"rank\" is missing at steps[0]"),
      (#"{"department":"init","steps":[{"name":"a","kind":"k","rank":"1"}]}"#, "not a whole number at steps[0].rank"),
      (#"{"department":"init","steps":[{"name":"a","kind":"k","rank":0}]}"#, "rank 0"),
      (#"{"department":"init","steps":[{"name":"","kind":"k","rank":1}]}"#, "name"),
      (
        #"{"department":"init","steps":[{"name":"a","kind":"k","rank":1},{"name":"a","kind":"k","rank":2}]}"#,
        "step \"a\": another step has that name"
      ),
      (#"{"department":"init","steps":[{"name":"a","kind":"k","rank":1,"optional":true}]}"#, "\"optional\""),
      (#"{"department":"init","gates":["x"],"steps":[{"name":"a","kind":"k","rank":1}]}"#, "needs a name"),
      (#"{"department":"init","doors":["x"],"steps":[]}"#, "\"doors\""),
      (#"{"department":"init","steps":[],"payload":1}"#, "only the start of a plan by its name has one of its own"),
      (#"{"name":"opening","steps":[]}"#, "\"department\" is missing"),
      (#"{"name":"opening","gates":["loan"]}"#, "\"department\" is missing"),
      (#"{"name":"opening","department":"init"}"#, "\"steps\" is missing"),
      (#"{"name":"open.ing"}"#, "not a name: 1–100 letters, digits, - and _ at name"),
      (#"{"name":null}"#, "at name"), (#"{"payload":7}"#, "only the start of a plan by its name has one of its own"),
    ])
  func broken(text: String, expected: String) {
    let failure = failure(text)
    #expect(failure?.code == "bad_plan")
    #expect(failure?.message.contains(expected) == true, "\(failure?.message ?? "accepted")")
  }

  /// One step, with more members.
  private static func step(_ members: String) -> String {
    #"{"department":"init","steps":[{"name":"user","kind":"k","rank":2},{"name":"a","kind":"k","rank":4,\#(members)}]}"#
  }

  @Test(
    "a step that is written wrong, or breaks a rule, is refused with what is wrong and where",
    arguments: [
      (#""attempts":101"#, "step \"a\": attempts 101 is not 1–100"),
      (#""attempts":"3""#, "not a whole number at steps[1].attempts"),
      (#""timeout_ms":0"#, "step \"a\": timeout 0ms is not between 1ms and 7d"),
      (#""timeout_ms":1.5"#, "not a whole number at steps[1].timeout_ms"),
      (#""start_within_ms":0"#, "step \"a\": start_within 0ms is not between 1ms and ten years"),
      (#""required":"no""#, "not true or false at steps[1].required"),
      (#""required":null"#, "not true or false at steps[1].required"),
      (#""reenter":{"from":"user"}"#, "\"on\" is missing at steps[1].reenter"),
      (#""reenter":{"on":"expired"}"#, "\"from\" is missing at steps[1].reenter"),
      (#""reenter":{"on":"expired","from":"user","times":2}"#, "the member \"times\" of a re-entry"),
      (#""reenter":"user""#, "steps[1].reenter"),
      (#""reenter":{"on":"","from":"user"}"#, "step \"a\": the code of a re-entry has 1–200 bytes"),
      (#""reenter":{"on":"x","from":"user","at_most":101}"#, "step \"a\": it may re-enter 1–100 times, not 101"),
      (#""reenter":{"on":"x","from":"usr"}"#, "there is no step \"usr\" to re-enter from; did you mean \"user\"?"),
      (#""reenter":{"on":"x","from":"a"}"#, "a step does not re-enter from itself"),
    ])
  func step(members: String, expected: String) {
    let failure = failure(Self.step(members))
    #expect(failure?.code == "bad_plan")
    #expect(failure?.message.contains(expected) == true, "\(failure?.message ?? "accepted")")
  }

  @Test("a step with all members that it may leave out, each as null, or as it may be, is accepted")
  func wholeStep() {
    for members in [
      #""payload":null,"attempts":null,"timeout_ms":null,"start_within_ms":null,"reenter":null"#,
      #""required":false,"attempts":1,"timeout_ms":1,"start_within_ms":1,"reenter":{"on":"x","from":"user"}"#,
    ] {
      #expect(failure(Self.step(members)) == nil, "\(members)")
    }
  }

  @Test(
    "events and gates that are written wrong, or break a rule, are refused with what is wrong and where",
    arguments: [
      (#""events":[{"rank":1}]"#, "\"name\" is missing at events[0]"),
      (#""events":[{"name":"push"}]"#, "\"rank\" is missing at events[0]"),
      (#""events":[{"name":"pu.sh","rank":1}]"#, "not a name: 1–100 letters, digits, - and _ at events[0].name"),
      (#""events":[{"name":"push","rank":1,"kind":"o p"}]"#, "at events[0].kind"),
      (#""events":[{"name":"push","rank":1,"when_open":"ask"}]"#, "\"ask\" is neither run nor announce at events[0]"),
      (#""events":[{"name":"push","rank":1,"required":true}]"#, "the member \"required\" of an event"),
      (#""events":[{"name":"push","rank":0}]"#, "event \"push\": rank 0 is not 1–1000000"),
      (#""events":[{"name":"push","rank":1},{"name":"push","rank":2}]"#, "event \"push\": another event has that name"),
      (#""events":{}"#, "at events"), (#""gates":"loan""#, "at gates"), (#""gates":["lo.an"]"#, "at gates[0]"),
      (#""gates":["init"]"#, "behind its own gate it would wait for ever"),
      (#""gates":["loan","loan"]"#, "gate \"loan\" is named twice"),
    ])
  func eventsAndGates(member: String, expected: String) {
    let failure = failure(
      #"{"name":"opening","department":"init",\#(member),"steps":[{"name":"a","kind":"k","rank":1}]}"#)
    #expect(failure?.code == "bad_plan")
    #expect(failure?.message.contains(expected) == true, "\(failure?.message ?? "accepted")")
  }

  @Test("several broken rules are told at once")
  func several() {
    let text = #"{"department":"init","gates":["init"],"steps":[{"name":"a","kind":"k","rank":0,"attempts":0}]}"#
    #expect(
      failure(text)?.message == """
        the plan cannot be accepted: a plan with events or gates needs a name; step "a": rank 0 is not 1–1000000; \
        step "a": attempts 0 is not 1–100; \
        the plan itself runs in "init": behind its own gate it would wait for ever
        """)
  }

  @Test("the start of a plan has no department, in no way, and none of the headers of a job")
  func starts() {
    let start = #"{"name":"opening"}"#
    #expect(failure(start) == nil)
    #expect(failure(start, headers: ["teller-department": "init"])?.code == "bad_plan")
    #expect(failure(start, headers: ["teller-attempts": 1])?.code == "not_supported")
    #expect(failure(start, headers: ["teller-key": "k"])?.code == "not_supported")
  }

  @Test("a plan that nests without end is refused and harms nothing")
  func nesting() {
    let deep = String(repeating: "[", count: 100_000)
    let payload = #"{"department":"init","steps":[{"name":"a","kind":"k","rank":1,"payload":"# + deep
    #expect(failure(payload)?.code == "bad_plan")
    #expect(failure(deep)?.code == "bad_plan")
  }

  @Test("a plan may not have a job's headers, nor another department in its header")
  func headers() {
    #expect(failure(Self.good, headers: ["teller-rank": 1])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-attempts": 1])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-delay-ms": 1])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-after": "x"])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-key": "x"])?.code == "not_supported")
    #expect(failure(Self.good, headers: ["teller-department": "other"])?.code == "bad_plan")
    #expect(failure(Self.good, headers: ["teller-department": "init"]) == nil)
  }

  @Test("the content type tells a plan whatever its case and parameters")
  func contentTypes() {
    for type in ["Application/VND.teller.plan+JSON", "application/vnd.teller.plan+json; charset=utf-8"] {
      guard case .plan = decode(Self.good, contentType: type) else {
        Issue.record("\(type) was not taken for a plan")
        continue
      }
    }
    guard case .rejected(let rejection) = decode(Self.good, contentType: "application/json") else {
      Issue.record("JSON of another content type was taken for a plan")
      return
    }
    #expect(rejection.failure.code == "missing_kind")
  }

  @Test("a plan that would be refused is not even encoded")
  func encoding() {
    let id = JobID()
    #expect(throws: JobFailure.self) {
      try SubmissionCodec.encode(PlanSubmission(id: id, department: "init", steps: []))
    }
    #expect(throws: JobFailure.self) { try PlanStep.bytes(of: .double(.infinity)) }
  }
}
