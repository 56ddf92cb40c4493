import AMQP
import JobModel
import JobTransport
import Testing

/// The answers to commands and to what was added with them.
@Suite struct CommandAnswerTests {
  private static let id = JobID("01890a5d-ac96-774b-bcce-b302099a8057") ?? JobID()
  private static let text = #""01890a5d-ac96-774b-bcce-b302099a8057""#
  private let address = AnswerAddress(replyTo: "teller.reply.x", correlationID: "c")

  /// The document comes back as it was, and is the documented JSON.
  private func expect<Document: AnswerDocument>(
    _ document: Document, _ body: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let message = AnswerCodec.encode(document, to: address)
    #expect(message.properties.type == "ok" && message.properties.correlationID == "c", sourceLocation: sourceLocation)
    #expect(String(decoding: message.body, as: UTF8.self) == body, sourceLocation: sourceLocation)
    #expect(
      try AnswerCodec.decode(Document.self, from: Deliveries.of(message)) == document, sourceLocation: sourceLocation)
  }

  @Test("what became of named jobs is the documented JSON")
  func changes() throws {
    let unchanged = JobChanges.Unchanged(job: Self.id, reason: .replayed, replay: Self.id)
    try expect(
      JobChanges(changed: [Self.id], replays: [Self.id], unchanged: [unchanged]),
      #"{"changed":[\#(Self.text)],"replays":[\#(Self.text)],"unchanged":[{"job":\#(Self.text),"reason":"replayed","#
        + #""replay":\#(Self.text)}]}"#)
    try expect(JobChanges(), #"{"changed":[],"unchanged":[]}"#)
  }

  @Test("how far a command has come is the documented JSON")
  func operation() throws {
    try expect(
      JobOperation(
        id: 7, action: .cancel, department: "init", kind: "k", changed: 1, looked: 2, total: 3,
        startedAt: Timestamp(milliseconds: 4), finishedAt: Timestamp(milliseconds: 5)),
      #"{"action":"cancel","changed":1,"department":"init","finished_ms":5,"id":7,"kind":"k","looked":2,"started_ms":4,"#
        + #""total":3}"#)
  }

  @Test("answers to orders are the documented JSON")
  func orders() throws {
    try expect(
      DepartmentPause(department: "init", isPaused: true, isNew: false),
      #"{"changed":false,"department":"init","paused":true}"#)
    try expect(
      DepartmentResize(
        department: "init",
        workers: [DepartmentResize.Worker(id: WorkerID("w"), name: "host 7", before: 2, tellers: 4)]),
      #"{"department":"init","workers":[{"before":2,"id":"w","name":"host 7","tellers":4}]}"#)
    try expect(
      WorkerDrain(
        id: WorkerID("w"), name: "host 7", isNew: true, isTold: false, isDraining: false, running: 2, lastSeenMs: 30),
      #"{"changed":true,"draining":false,"id":"w","last_seen_ms":30,"name":"host 7","running":2,"told":false}"#)
    try expect(
      JobPlace(job: Self.id, state: .queued, priority: 9, rank: 2),
      #"{"job":\#(Self.text),"priority":9,"rank":2,"state":"queued"}"#)
    try expect(FreedKey(kind: "k", key: "a b", wasTaken: true), #"{"changed":true,"key":"a b","kind":"k"}"#)
    try expect(
      OperatorAction(
        number: 7, action: "count_cash", at: Timestamp(milliseconds: 5), by: OperatorName("ada"), user: "operator",
        name: "till 3"),
      #"{"action":"count_cash","at_ms":5,"by":"ada","name":"till 3","number":7,"user":"operator"}"#)
  }

  @Test("why a job is where it is, is the documented JSON")
  func explain() throws {
    let reason = JobExplanation.Reason(
      hold: .after, text: "t", lifts: "l", since: Timestamp(milliseconds: 3), until: Timestamp(milliseconds: 5),
      jobs: [Self.id])
    try expect(
      JobExplanation(
        job: Self.id, state: .held, kind: "k", department: "init",
        reasons: [reason, JobExplanation.Reason(hold: .paused, text: "p")]),
      #"{"department":"init","job":\#(Self.text),"kind":"k","reasons":[{"hold":"after","jobs":[\#(Self.text)],"#
        + #""lifts":"l","since_ms":3,"text":"t","until_ms":5},{"hold":"paused","text":"p"}],"state":"held"}"#)
  }

  @Test("jobs that have ended, summed up, are the documented JSON")
  func report() throws {
    let line = JobReport.Line(
      department: "init", succeeded: 1, failed: 2, cancelled: 3, retries: 4,
      waited: JobReport.Times(p50: 1, p90: 2, p99: 3, max: 4, sum: 9), ran: nil)
    try expect(
      JobReport(
        from: Timestamp(milliseconds: 1), until: Timestamp(milliseconds: 2), lines: [line], isTruncated: false,
        epoch: 6, through: 7),
      #"{"epoch":6,"from_ms":1,"lines":[{"cancelled":3,"department":"init","failed":2,"retries":4,"succeeded":1,"#
        + #""waited_ms":{"max":4,"p50":1,"p90":2,"p99":3,"sum":9}}],"through":7,"truncated":false,"until_ms":2}"#)
  }
}
