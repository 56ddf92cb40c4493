import AMQP
import JobModel
import JobTransport
import Testing

/// What is submitted about plans and events, letter by letter.
@Suite struct PlanMessageTests {
  private static let id = JobID("01890a5d-ac96-774b-bcce-b302099a8057") ?? JobID()
  private static let plan = "application/vnd.teller.plan+json"
  private static let event = "application/vnd.teller.event+json"

  private func expect(
    _ message: Publishing, _ contentType: String, _ body: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(message.exchange == "teller.submit", sourceLocation: sourceLocation)
    #expect(message.properties.contentType == contentType, sourceLocation: sourceLocation)
    #expect(message.properties.messageID == Self.id.description, sourceLocation: sourceLocation)
    #expect(String(decoding: message.body, as: UTF8.self) == body, sourceLocation: sourceLocation)
  }

  @Test("a plan with everything is the documented JSON")
  func wholePlan() throws {
    let login = PlanStep(
      name: "log in", kind: "login", rank: 4, payload: Array(#"{"a": 1}"#.utf8), attempts: 3, timeout: .seconds(10),
      startWithin: .seconds(60), reentry: Reentry(on: "expired", from: "user", atMost: 2))
    let banner = PlanStep(name: "banner", kind: "show", rank: 9, isRequired: false)
    let definition = PlanDefinition(
      name: "opening", department: "init", steps: [PlanStep(name: "user", kind: "load", rank: 3), login, banner],
      events: [PlanEvent("push", rank: 5, kind: "open-push", whenOpen: .announce), PlanEvent("mail", rank: 6)],
      gates: ["deposit", "loan"])
    try expect(
      SubmissionCodec.encode(PlanSubmission(id: Self.id, definition: definition)), Self.plan,
      #"{"department":"init","events":[{"kind":"open-push","name":"push","rank":5,"when_open":"announce"},"#
        + #"{"kind":"mail","name":"mail","rank":6,"when_open":"run"}],"gates":["deposit","loan"],"name":"opening","#
        + #""steps":[{"kind":"load","name":"user","rank":3},"#
        + #"{"attempts":3,"kind":"login","name":"log in","payload":{"a": 1},"rank":4,"#
        + #""reenter":{"at_most":2,"from":"user","on":"expired"},"start_within_ms":60000,"timeout_ms":10000},"#
        + #"{"kind":"show","name":"banner","rank":9,"required":false}]}"#)
  }

  @Test("a plan without a name has its department and its steps alone")
  func smallPlan() throws {
    try expect(
      SubmissionCodec.encode(
        PlanSubmission(id: Self.id, department: "init", steps: [PlanStep(name: "a", kind: "k", rank: 1)])),
      Self.plan, #"{"department":"init","steps":[{"kind":"k","name":"a","rank":1}]}"#)
  }

  @Test("the start of a plan is the documented JSON")
  func start() throws {
    try expect(SubmissionCodec.encode(PlanStart(id: Self.id, plan: "opening")), Self.plan, #"{"name":"opening"}"#)
    try expect(
      SubmissionCodec.encode(PlanStart(id: Self.id, plan: "opening", payload: Array("[1, 2]".utf8))), Self.plan,
      #"{"name":"opening","payload":[1, 2]}"#)
  }

  @Test("an event and a choice about it are the documented JSON")
  func events() throws {
    try expect(SubmissionCodec.encode(EventSubmission(id: Self.id, name: "push")), Self.event, #"{"event":"push"}"#)
    let content = JobContent(payload: Array(#"{"page": "offers"}"#.utf8))
    try expect(
      SubmissionCodec.encode(EventSubmission(id: Self.id, name: "push", plan: "opening", content: content)), Self.event,
      #"{"event":"push","payload":{"page": "offers"},"plan":"opening"}"#)
    let event = JobID()
    expect(
      SubmissionCodec.encode(EventChoice(.accept, event), id: Self.id), Self.event, #"{"accept":"\#(event)"}"#)
    expect(
      SubmissionCodec.encode(EventChoice(.dismiss, event), id: Self.id), Self.event, #"{"dismiss":"\#(event)"}"#)
  }
}
