import AMQP
import Foundation
import JobModel
import JobTransport
import Testing

/// What is asked of the coordinator and told to it, letter by letter.
@Suite struct QuestionNamesTests {
  private static let id = JobID("01890a5d-ac96-774b-bcce-b302099a8057") ?? JobID()
  private static let text = "01890a5d-ac96-774b-bcce-b302099a8057"
  private let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: "c")

  private func expect(
    _ message: Publishing, _ type: String, _ body: String, to exchange: String, sourceLocation: SourceLocation
  ) {
    let expected = MessageProperties(
      contentType: "application/json", correlationID: "c", replyTo: "teller.reply.x", expiration: "5000", type: type)
    #expect(message.exchange == exchange && message.routingKey == exchange, sourceLocation: sourceLocation)
    #expect(message.properties == expected, sourceLocation: sourceLocation)
    #expect(String(decoding: message.body, as: UTF8.self) == body, sourceLocation: sourceLocation)
  }

  private func request(
    _ request: Request, _ type: String, _ body: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let message = RequestCodec.encode(request, address: address, expiration: .seconds(5))
    expect(message, type, body, to: "teller.requests", sourceLocation: sourceLocation)
  }

  private func command(
    _ command: AdminRequest, _ type: String, _ body: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let message = AdminCodec.encode(command, address: address, expiration: .seconds(5))
    expect(message, type, body, to: "teller.admin", sourceLocation: sourceLocation)
  }

  @Test("requests are the documented JSON")
  func requests() {
    request(.status, "status", "{}")
    request(
      .jobs(JobQuery(department: "init", state: .failed, kind: "k", limit: 5, before: 9)), "jobs",
      #"{"before":9,"department":"init","kind":"k","limit":5,"state":"failed"}"#)
    request(.jobs(JobQuery(onlyUnsettled: true)), "jobs", #"{"limit":100,"unsettled":true}"#)
    let (since, until) = (Date(timeIntervalSince1970: 0.005), Date(timeIntervalSince1970: 6))
    request(
      .jobs(JobQuery(kind: "k", since: since, until: until, error: "timeout", key: "a b", plan: Self.id)), "jobs",
      #"{"error":"timeout","key":"a b","kind":"k","limit":100,"plan":"\#(Self.text)","since_ms":5,"until_ms":6000}"#)
    request(.failures(FailureQuery()), "failures", "{}")
    request(
      .failures(FailureQuery(department: "init", kind: "k", since: since, until: until, error: "x", before: 9)),
      "failures", #"{"before":9,"department":"init","error":"x","kind":"k","since_ms":5,"until_ms":6000}"#)
    request(.count(CountQuery(.reset)), "count", #"{"action":"reset"}"#)
    request(
      .count(CountQuery(.cancel, department: "init", kind: "k")), "count",
      #"{"action":"cancel","department":"init","kind":"k"}"#)
    request(
      .wait(WaitQuery(ids: [Self.id], limit: .seconds(3))), "wait", #"{"ids":["\#(Self.text)"],"limit_ms":3000}"#)
    request(.show(Self.id), "show", #"{"id":"\#(Self.text)"}"#)
    request(.explain(Self.id), "explain", #"{"id":"\#(Self.text)"}"#)
    request(.operation(7), "operation", #"{"id":7}"#)
    request(
      .report(ReportQuery(since: Timestamp(milliseconds: 5), department: "init")), "report",
      #"{"department":"init","since_ms":5}"#)
    request(.report(ReportQuery(plan: Self.id)), "report", #"{"plan":"\#(Self.text)"}"#)
  }

  @Test("requests for lists are the documented JSON")
  func lists() {
    request(.workers(WorkerQuery()), "workers", #"{"limit":100}"#)
    request(
      .workers(WorkerQuery(department: "init", limit: 5, after: WorkerID("w"))), "workers",
      #"{"after":"w","department":"init","limit":5}"#)
    request(.schedules(ScheduleQuery()), "schedules", "{}")
    request(.schedules(ScheduleQuery(after: "nightly")), "schedules", #"{"after":"nightly"}"#)
    request(
      .keys(KeyQuery(kind: "k", limit: 5, after: JobKey(kind: "k", key: "a b"))), "keys",
      #"{"after":{"key":"a b","kind":"k"},"kind":"k","limit":5}"#)
    request(.key(KeyQuestion(JobKey(kind: "k", key: "a b"))), "key", #"{"key":"a b","kind":"k","limit_ms":0}"#)
    request(
      .plans(PlanQuery(department: "init", includesEnded: true, limit: 5, before: 9)), "plans",
      #"{"before":9,"department":"init","ended":true,"limit":5}"#)
    request(.plans(PlanQuery()), "plans", #"{"ended":false,"limit":100}"#)
  }

  @Test("requests about plans and events are the documented JSON")
  func plans() {
    request(.plan("opening"), "plan", #"{"plan":"opening"}"#)
    request(.plan(Self.text), "plan", #"{"plan":"\#(Self.text)"}"#)
    request(.events(EventQuery()), "events", #"{"limit":100}"#)
    request(
      .events(EventQuery(plan: "opening", state: .announced, limit: 5, before: 9)), "events",
      #"{"before":9,"limit":5,"plan":"opening","state":"announced"}"#)
    request(.event(Self.id), "event", #"{"id":"\#(Self.text)"}"#)
    for gates in GateChoice.allCases {
      command(
        .stopPlan(PlanStopOrder(plan: "opening", gates: gates)), "stop_plan",
        #"{"gates":"\#(gates.rawValue)","plan":"opening"}"#)
    }
  }

  @Test("requests about subscribers are the documented JSON")
  func subscribers() {
    request(.subscriber("audit"), "subscriber", #"{"name":"audit"}"#)
    request(.subscribers(SubscriberQuery()), "subscribers", #"{"limit":100}"#)
    request(.subscribers(SubscriberQuery(limit: 5, after: "audit")), "subscribers", #"{"after":"audit","limit":5}"#)
    let place = NotificationPosition(epoch: 1, seq: 42)
    request(
      .keepPlace(PlaceOrder("audit", at: place, offset: 7)), "keep_place",
      #"{"epoch":1,"name":"audit","offset":7,"seq":42}"#)
    request(.keepPlace(PlaceOrder("audit")), "keep_place", #"{"name":"audit"}"#)
    command(.forgetSubscriber("audit"), "forget_subscriber", #"{"name":"audit"}"#)
  }

  @Test(
    "a question or a command about plans that is not as documented is refused",
    arguments: [
      ("plan", "{}"), ("plan", #"{"plan":""}"#), ("plan", #"{"plan":"a.b"}"#), ("plan", #"{"plan":7}"#),
      ("plan", #"{"name":"opening"}"#), ("plan", #"{"plan":"opening","run":"x"}"#),
      ("events", #"{"limit":0}"#), ("events", #"{"limit":1001}"#), ("events", #"{"plan":"a.b"}"#),
      ("events", #"{"state":7}"#), ("events", #"{"before":"9"}"#), ("events", #"{"department":"init"}"#),
      ("key", #"{"kind":"k"}"#), ("key", #"{"kind":"k","key":""}"#), ("key", #"{"kind":"k","key":"a","wait":true}"#),
      ("key", #"{"kind":"k","key":"a","limit_ms":30001}"#), ("key", #"{"kind":"k","key":"a","limit_ms":-1}"#),
      ("subscriber", "{}"), ("subscriber", #"{"name":"a b"}"#), ("subscribers", #"{"limit":1001}"#),
      ("keep_place", "{}"), ("keep_place", #"{"name":"a","epoch":1}"#), ("keep_place", #"{"name":"a","seq":1}"#),
      ("keep_place", #"{"name":"a","offset":1}"#), ("keep_place", #"{"name":"a","epoch":1,"seq":-1}"#),
      ("keep_place", #"{"name":"a","epoch":1,"seq":1,"place":2}"#), ("subscribers", #"{"after":"a.b"}"#),
      ("event", "{}"), ("event", #"{"id":"7"}"#), ("event", #"{"event":"push"}"#),
      ("stop_plan", #"{"plan":"opening"}"#), ("stop_plan", #"{"gates":"keep"}"#),
      ("stop_plan", #"{"plan":"opening","gates":"shut"}"#), ("stop_plan", #"{"plan":"a.b","gates":"keep"}"#),
      ("stop_plan", #"{"plan":"opening","gates":"keep","force":true}"#),
    ])
  func refused(type: String, body: String) {
    let properties = MessageProperties(contentType: "application/json", replyTo: "teller.reply.x", type: type)
    let delivery = Deliveries.make(properties, .bytes(Array(body.utf8)))
    #expect((type == "stop_plan" ? refusedCommand(delivery) : refusedRequest(delivery))?.code == "bad_request")
  }

  private func refusedRequest(_ delivery: Delivery) -> JobFailure? {
    guard case .refused(let failure, _) = RequestCodec.decode(delivery) else { return nil }
    return failure
  }

  private func refusedCommand(_ delivery: Delivery) -> JobFailure? {
    guard case .refused(let failure, _) = AdminCodec.decode(delivery) else { return nil }
    return failure
  }

  @Test("commands about jobs are the documented JSON")
  func selections() {
    let (since, until) = (Date(timeIntervalSince1970: 0.005), Date(timeIntervalSince1970: 6))
    command(.cancel(JobSelection(jobs: [Self.id])), "cancel", #"{"jobs":["\#(Self.text)"]}"#)
    command(
      .replay(JobSelection(department: "init", kind: "k")), "replay", #"{"department":"init","kind":"k"}"#)
    command(.drop(JobSelection()), "drop", #"{"all":true}"#)
    command(
      .drop(JobSelection(kind: "k", narrowing: JobNarrowing(error: "e", since: since, until: until))), "drop",
      #"{"error":"e","kind":"k","since_ms":5,"until_ms":6000}"#)
    command(
      .cancel(JobSelection(narrowing: JobNarrowing(state: .held, key: "a b", plan: Self.id))), "cancel",
      #"{"key":"a b","plan":"\#(Self.text)","state":"held"}"#)
    command(.acceptRestored(JobSelection()), "accept_restored", #"{"all":true}"#)
    command(.dropRestored(JobSelection(department: "init")), "drop_restored", #"{"department":"init"}"#)
    command(.reset, "reset", "{}")
  }

  @Test("the other commands are the documented JSON")
  func orders() {
    command(.pause("init"), "pause", #"{"department":"init"}"#)
    command(.resume("init"), "resume", #"{"department":"init"}"#)
    command(
      .resize(ResizeOrder(department: "init", tellers: 4, worker: "w")), "resize",
      #"{"department":"init","tellers":4,"worker":"w"}"#)
    command(.drainWorker(DrainOrder(worker: "host 7")), "drain", #"{"worker":"host 7"}"#)
    command(.rerank(RerankOrder(job: Self.id, priority: 9)), "rerank", #"{"job":"\#(Self.text)","priority":9}"#)
    command(.rerank(RerankOrder(job: Self.id, rank: 2)), "rerank", #"{"job":"\#(Self.text)","rank":2}"#)
    command(.freeKey(KeyOrder(kind: "k", key: "a b")), "free_key", #"{"key":"a b","kind":"k"}"#)
    let key = JobKey(kind: "k", key: "a b")
    command(.resetKeys(KeyResetOrder(key)), "reset_keys", #"{"key":"a b","kind":"k"}"#)
    command(.resetKeys(KeyResetOrder(allOf: "k")), "reset_keys", #"{"all":true,"kind":"k"}"#)
    command(.payload(Self.id), "payload", #"{"id":"\#(Self.text)"}"#)
    command(.note(ActionNote("count_cash")), "note", #"{"action":"count_cash"}"#)
    command(
      .note(ActionNote("x9", job: Self.id, department: "init", kind: "k", name: "a b", detail: "c")), "note",
      #"{"action":"x9","department":"init","detail":"c","job":"\#(Self.text)","kind":"k","name":"a b"}"#)
  }
}
