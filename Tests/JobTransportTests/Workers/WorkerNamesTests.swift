import AMQP
import JobModel
import JobTransport
import Testing

/// What workers and the coordinator tell each other in JSON, letter by letter.
@Suite struct WorkerNamesTests {
  private static let id = JobID("01890a5d-ac96-774b-bcce-b302099a8057") ?? JobID()
  private static let release = ReleaseID(job: id, number: 3)
  private static let member = #"{"job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3}"#
  private static let worker = WorkerID("w")

  private func expect(
    _ message: TransientPublishing, _ type: String, _ body: String, key: String = "worker.w",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(message.exchange == "teller.control" && message.routingKey == key, sourceLocation: sourceLocation)
    #expect(message.properties.type == type, sourceLocation: sourceLocation)
    #expect(String(decoding: message.body, as: UTF8.self) == body, sourceLocation: sourceLocation)
  }

  @Test("a presence is the documented JSON")
  func presence() {
    let running = [
      RunningRelease(release: Self.release, token: 4), RunningRelease(release: Self.release, token: 5, isStuck: true),
    ]
    let presence = PresenceCodec.encode(
      Presence(
        worker: Self.worker, session: 2, name: "host 7", tellers: ["in_it": 2], paused: ["loan"],
        ledger: LedgerID("l"), probe: 5, running: running, isGoodbye: true))
    #expect(presence.exchange == "teller.presence" && presence.routingKey == "teller.presence")
    #expect(presence.properties.type == "presence")
    #expect(
      String(decoding: presence.body, as: UTF8.self)
        == #"{"goodbye":true,"ledger":"l","name":"host 7","paused":["loan"],"probe":5,"running":[{"#
        + #""job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3,"token":4},{"#
        + #""job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3,"stuck":true,"token":5}],"session":2,"#
        + #""tellers":{"in_it":2},"worker":"w"}"#)
  }

  @Test("a welcome is the documented JSON")
  func welcome() throws {
    let welcome = Welcome(
      ledger: LedgerID("l"), epoch: 6, session: 1, departments: ["init"], unknown: ["x"],
      staffing: Staffing(tellers: ["in_it": 4], paused: ["init"]), void: [Self.release])
    expect(
      try #require(ControlCodec.encode(welcome, to: Self.worker).first), "welcome",
      #"{"departments":["init"],"epoch":6,"ledger":"l","session":1,"staffing":{"paused":["init"],"#
        + #""tellers":{"in_it":4}},"unknown":["x"],"void":["# + Self.member + "]}")
  }

  @Test("what a presence, a staffing and a welcome say by kind is an object, with the kinds' names")
  func byKind() throws {
    let beside: [String: [JobKind: Int]] = ["init": ["loan": 3]]
    expect(
      ControlCodec.encode(Staffing(beside: beside), to: Self.worker), "staffing",
      #"{"beside":{"init":{"loan":3}},"paused":[],"tellers":{}}"#)
    let welcome = Welcome(
      ledger: LedgerID("l"), epoch: 6, session: 1, departments: [], unknown: [], retries: ["loan": RetrySettings()])
    expect(
      try #require(ControlCodec.encode(welcome, to: Self.worker).first), "welcome",
      #"{"departments":[],"epoch":6,"ledger":"l","retries":{"loan":{"factor_permille":2000,"first_ms":1000,"#
        + #""jitter_permille":200,"max_ms":600000}},"session":1,"staffing":{"paused":[],"tellers":{}},"#
        + #""unknown":[],"void":[]}"#)
    let presence = PresenceCodec.encode(
      Presence(
        worker: Self.worker, session: 2, name: "n", tellers: [:], kinds: ["loan", "car"], beside: beside, ledger: nil,
        probe: 5, running: [], isDraining: true))
    #expect(
      String(decoding: presence.body, as: UTF8.self)
        == #"{"beside":{"init":{"loan":3}},"draining":true,"goodbye":false,"kinds":["car","loan"],"name":"n","#
        + #""paused":[],"probe":5,"running":[],"session":2,"tellers":{},"worker":"w"}"#)
  }

  @Test("what a worker takes ahead is in its staffing by department, and in its presence one by one")
  func ahead() {
    expect(
      ControlCodec.encode(Staffing(ahead: ["init": 4]), to: Self.worker), "staffing",
      #"{"ahead":{"init":4},"paused":[],"tellers":{}}"#)
    let waiting = [
      WaitingRelease(release: Self.release, token: 4),
      WaitingRelease(release: Self.release, token: 5, mustClaim: true),
    ]
    let presence = PresenceCodec.encode(
      Presence(
        worker: Self.worker, session: 2, name: "n", tellers: [:], ahead: ["init": 4], ledger: nil, probe: 5,
        running: [], waiting: waiting))
    #expect(
      String(decoding: presence.body, as: UTF8.self)
        == #"{"ahead":{"init":4},"goodbye":false,"name":"n","paused":[],"probe":5,"running":[],"session":2,"tellers":{},"#
        + #""waiting":[{"job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3,"token":4},{"claims":true,"#
        + #""job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3,"token":5}],"worker":"w"}"#)
  }

  @Test("probes and answers to claims are the documented JSON")
  func answers() throws {
    expect(ControlCodec.encode(probe: 9, to: Self.worker), "probe", #"{"number":9}"#)
    let since = Timestamp(milliseconds: 7)
    expect(ControlCodec.encode(probe: 9, since: since, to: Self.worker), "probe", #"{"number":9,"since_ms":7}"#)
    let answers = [
      ClaimAnswer(release: Self.release, claim: 8, verdict: .run(token: 5, attempt: 2), number: 9),
      ClaimAnswer(release: Self.release, claim: 9, verdict: .elsewhere),
      ClaimAnswer(release: Self.release, claim: 10, verdict: .drop),
    ]
    expect(
      try #require(ControlCodec.encode(answers, to: Self.worker).first), "answers",
      #"{"answers":[{"attempt":2,"claim":8,"job":"01890a5d-ac96-774b-bcce-b302099a8057","number":9,"release":3,"#
        + #""token":5,"verdict":"run"},{"claim":9,"job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3,"#
        + #""verdict":"elsewhere"},{"claim":10,"job":"01890a5d-ac96-774b-bcce-b302099a8057","release":3,"#
        + #""verdict":"drop"}]}"#)
  }

  @Test("staffing, void and adopted are the documented JSON, each with its routing key")
  func orders() throws {
    let staffing = ControlCodec.encode(Staffing(tellers: ["init": 0], paused: ["loan"]), to: Self.worker)
    expect(staffing, "staffing", #"{"paused":["loan"],"tellers":{"init":0}}"#)
    expect(
      ControlCodec.encode(Staffing(isToDrain: true), to: Self.worker), "staffing",
      #"{"drain":true,"paused":[],"tellers":{}}"#)
    let change = VoidChange(void: [Self.release], forgotten: [Self.release])
    expect(
      try #require(ControlCodec.encode(change, toWorkersOf: "init").first), "void",
      #"{"forgotten":["# + Self.member + #"],"void":["# + Self.member + "]}", key: "department.init")
    let ended = VoidChange(void: [Self.release], ended: [Self.release])
    expect(
      try #require(ControlCodec.encode(ended, toWorkersOf: "init").first), "void",
      #"{"forgotten":[],"void":[{"ended":true,"# + Self.member.dropFirst() + "]}", key: "department.init")
    expect(
      try #require(ControlCodec.encode(adopted: [Self.release], to: Self.worker).first), "adopted",
      #"{"releases":["# + Self.member + "]}")
  }
}
