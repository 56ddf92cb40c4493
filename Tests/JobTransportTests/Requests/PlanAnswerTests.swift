import AMQP
import JobModel
import JobTransport
import Testing

/// The answers about plans and events.
@Suite struct PlanAnswerTests {
  private static let id = JobID("01890a5d-ac96-774b-bcce-b302099a8057") ?? JobID()
  private static let text = #""01890a5d-ac96-774b-bcce-b302099a8057""#
  private let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: "c")

  /// The document comes back as it was, and is the documented JSON.
  private func expect<Document: AnswerDocument>(
    _ document: Document, _ body: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let message = AnswerCodec.encode(document, to: address)
    #expect(String(decoding: message.body, as: UTF8.self) == body, sourceLocation: sourceLocation)
    #expect(
      try AnswerCodec.decode(Document.self, from: Deliveries.of(message)) == document, sourceLocation: sourceLocation)
  }

  @Test("a list of plans is the documented JSON")
  func plans() throws {
    let plan = PlanStatus(
      id: Self.id, name: "opening", phase: .open, number: 7, department: "init", state: .succeeded, steps: 3,
      stepsDone: 3, acceptedAt: Timestamp(milliseconds: 1), finishedAt: Timestamp(milliseconds: 2))
    try expect(
      PlanPage(plans: [plan], notStarted: ["closing"], stopped: ["night"], next: 7),
      #"{"next":7,"not_started":["closing"],"plans":[{"accepted_ms":1,"department":"init","finished_ms":2,"#
        + #""id":\#(Self.text),"name":"opening","number":7,"phase":"open","state":"succeeded","steps":3,"#
        + #""steps_done":3}],"stopped":["night"]}"#)
    try expect(PlanPage(plans: [], next: nil), #"{"not_started":[],"plans":[],"stopped":[]}"#)
  }

  @Test("a plan with its steps, and one that was not started, are the documented JSON")
  func plan() throws {
    let failure = JobFailure(code: "expired", message: "m")
    let step = PlanDetails.Step(
      name: "login", rank: 4, round: 2, isRequired: false, kind: "k", job: Self.id, state: .failed, error: failure)
    try expect(
      PlanDetails(
        name: "opening", phase: .failed, run: Self.id, department: "init",
        gates: [PlanDetails.Gate("loan", isOpen: false)], steps: [step],
        events: [PlanEvent("push", rank: 5, whenOpen: .announce)], waitingEvents: 1,
        acceptedAt: Timestamp(milliseconds: 1), finishedAt: Timestamp(milliseconds: 2), error: failure),
      #"{"accepted_ms":1,"department":"init","error":{"error":"expired","message":"m"},"events":[{"kind":"push","#
        + #""name":"push","rank":5,"when_open":"announce"}],"events_waiting":1,"finished_ms":2,"#
        + #""gates":[{"department":"loan","open":false}],"name":"opening","phase":"failed","run":\#(Self.text),"#
        + #""steps":[{"error":{"error":"expired","message":"m"},"job":\#(Self.text),"kind":"k","name":"login","rank":4,"#
        + #""required":false,"round":2,"state":"failed"}]}"#)
    try expect(
      PlanDetails(
        name: "opening", phase: .notStarted, run: nil, department: "init", gates: [],
        steps: [PlanDetails.Step(name: "a", rank: 1, round: 1, isRequired: true, kind: "k")], events: [],
        waitingEvents: 0),
      #"{"department":"init","events":[],"events_waiting":0,"gates":[],"name":"opening","phase":"not_started","#
        + #""steps":[{"kind":"k","name":"a","rank":1,"required":true,"round":1,"state":"held"}]}"#)
  }

  @Test("an event, and a list of events, are the documented JSON")
  func events() throws {
    let event = EventStatus(
      id: Self.id, name: "push", plan: "opening", state: .acted, department: "init", kind: "open-push",
      receivedAt: Timestamp(milliseconds: 1), decidedAt: Timestamp(milliseconds: 2))
    let json =
      #"{"decided_ms":2,"department":"init","id":\#(Self.text),"kind":"open-push","name":"push","plan":"opening","#
      + #""received_ms":1,"state":"acted"}"#
    try expect(event, json)
    try expect(EventPage(events: [event], next: 7), #"{"events":[\#(json)],"next":7}"#)
  }

  @Test("a plan that was stopped is the documented JSON")
  func stop() throws {
    try expect(
      PlanStop(
        plan: "opening", before: .open, cancelledSteps: 0, gates: .cancel, departments: ["deposit", "loan"],
        stillGated: ["loan"], operations: [8, 9]),
      #"{"before":"open","cancelled_steps":0,"departments":["deposit","loan"],"gates":"cancel","operations":[8,9],"#
        + #""plan":"opening","still_gated":["loan"]}"#)
  }

  @Test("a phase and a state of a later version are read, and written as they came")
  func laterWords() throws {
    let text =
      #"{"department":"init","id":\#(Self.text),"kind":"k","name":"push","plan":"p","received_ms":1,"#
      + #""state":"moon"}"#
    let event = try AnswerCodec.decode(EventStatus.self, from: Deliveries.json("ok", text))
    #expect(event.state == EventState(rawValue: "moon"))
    try expect(event, text)
    let stopped = try AnswerCodec.decode(
      PlanStop.self,
      from: Deliveries.json(
        "ok",
        #"{"before":"moon","cancelled_steps":0,"departments":[],"gates":"keep","operations":[],"plan":"p","#
          + #""still_gated":[]}"#))
    #expect(stopped.before == PlanPhase(rawValue: "moon"))
  }
}
